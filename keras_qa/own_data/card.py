"""What a training says of itself: the table, and the model card."""

from collections.abc import Iterator
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from keras_qa.own_data.settings import BERTS
from keras_qa.own_data.settings import DEFAULT_MODEL
from keras_qa.own_data.settings import FLOORS
from keras_qa.own_data.settings import POPULARITY
from keras_qa.own_data.settings import has_floors
from keras_qa.own_data.settings import networks_of
from keras_qa.progress import counted

CARD = "README.md"

# Below this number of training questions, more of them help most.
FEW = 1000


def report(metrics: Mapping[str, Any]) -> str:
    """The table of a training, its notes, and what to make of it.

    Args:
        metrics: the content of `metrics.json`.
    """
    lines = [*metrics["table"], "", *metrics["notes"]]
    lines += data_warnings(metrics)
    return "\n".join([*lines, *verdict(metrics)])


def verdict(metrics: Mapping[str, Any]) -> list[str]:
    """Says if the model is above the best floor, and else what to try."""
    found = metrics["comparison"]
    model, floor = metrics["model"], found["best_floor"]
    if found["verdict"] == "above":
        return [f"{model} is above the best floor, {floor}."]
    said = {
        "even": "cannot be told from the best floor",
        "below": "is BELOW the best floor",
    }[found["verdict"]]
    return [f"{model} {said}, {floor}. To try:", *_advice(metrics)]


def _advice(metrics: Mapping[str, Any]) -> list[str]:
    found = metrics["comparison"]
    floors = {row["name"]: row["metrics"]["MAP"] for row in found["rows"]}
    if floors[found["best_floor"]] == 1:
        return ["- harder candidates: this floor ranks all of dev perfectly"]
    advice = []
    if found["best_floor"] == POPULARITY:
        advice.append(
            "candidates that differ from question to question: most of these "
            "answers are right, or wrong, whatever is asked"
        )
    training = metrics["parts"]["fit"]["mixed"]
    if training < FEW:
        advice.append(
            f"more questions: only {training:,} with a right and a wrong "
            "answer were trained on, and "
            f"{found['questions']:,} measured it"
        )
    model = metrics["model"]
    if set(metrics["vectors"]) == {"skipgram"} and model not in BERTS:
        advice.append(
            f"vectors of more text: --vectors skipgram minilm{_extra()}, or a "
            "file such as glove.6B.300d.txt"
        )
    networks = networks_of(model)
    if model in BERTS:
        advice.append(
            f"a network and the floors, added up: --model {DEFAULT_MODEL}"
        )
    elif not networks:
        advice.append(
            f"a network in addition to the floors: --model {DEFAULT_MODEL}"
        )
    elif not has_floors(model):
        advice.append(f"the sum with the floors: --model {model}+{FLOORS}")
    else:
        others = [name for name in ("cosineqa", "cam") if name not in networks]
        more = "+".join([*networks, *others, FLOORS])
        advice.append(
            f"the floors alone: --model {FLOORS}"
            + f"; or another network in addition to them: --model {more}"
            * bool(others)
        )
    if model not in BERTS:
        advice.append(
            "a BERT trained on the questions, which takes far longer: --model "
            f"{' or '.join(BERTS)}{_extra()}"
        )
    if "train" in metrics["mined"]:
        advice.append(
            "labels: candidates that BM25 found count as wrong, even if they "
            "answer the question"
        )
    return [f"- {line}" for line in advice]


def _extra() -> str:
    """How to install what reads a BERT, if it is missing."""
    missing = find_spec("keras_hub") is None
    return " (pip install 'keras-qa[bert]')" * missing


def data_warnings(metrics: Mapping[str, Any]) -> list[str]:
    """What is irregular in the questions of a training.

    Args:
        metrics: the content of `metrics.json`, or of it what
            `keras_qa.own_data.questions.Parts.described` gives.
    """
    lines = []
    fit = metrics["parts"]["fit"]
    if 2 * fit["mixed"] < (given := fit["questions"]):
        lines.append(
            f"Warning: {given - fit['mixed']:,} of {given:,} questions to "
            "train on have no wrong answer and teach nothing: `keras-qa mine` "
            "finds wrong answers to all questions."
        )
    left_out = (
        (
            "unanswered",
            "question",
            "of the training data without a right answer",
        ),
        (
            "repeated",
            "wrong answer",
            "of the training data with the text of a right answer to the same "
            "question",
        ),
        ("without_candidates", "question", "of dev without candidates"),
    )
    lines += [
        f"Left out: {counted(metrics[name], unit)} {which}."
        for name, unit, which in left_out
        if metrics[name]
    ]
    if metrics["mined"]:
        others = " other" * bool(metrics["repeated"])
        parts = " and ".join(metrics["mined"])
        lines.append(
            f"There were no{others} wrong answers in {parts}: BM25 found "
            "candidates, the right ones always among them. Training has no "
            "answer that dev alone has."
        )
    if metrics["shared"]:
        lines.append(
            f"Warning: {counted(metrics['shared'], 'question')} of dev can be "
            "found in the training file, too; the figures are too high."
        )
    return lines


def card(metrics: Mapping[str, Any]) -> str:
    """The model card, `README.md` of the run's folder, in Markdown.

    Args:
        metrics: the content of `metrics.json`.
    """
    saved = " `saved_model` needs TensorFlow only." * metrics["saved_model"]
    lines = [
        f"# {metrics['model']}, trained by keras-qa",
        "",
        "Ranks the answers to a question: the higher the score, the better. "
        "Scores are not probabilities. Compare them only among the answers to "
        "one question.",
        "",
        "## Data",
        "",
        *_data(metrics),
        "",
        "## Figures on dev",
        "",
        *metrics["table"],
        "",
        *(line for note in metrics["notes"] for line in (note, "")),
        *verdict(metrics),
        "",
        "## Settings",
        "",
        *_settings(metrics),
        "",
        "## Use",
        "",
        "```python",
        "import keras_qa",
        "",
        'ranker = keras_qa.Ranker.load("THIS_FOLDER")',
        'ranker.rank("a question", ["an answer", "another answer"])',
        "```",
        "",
        "`keras-qa rank THIS_FOLDER --file pairs.csv` does it on the command "
        f"line.{saved}",
        "",
        "## Limits",
        "",
        *_limits(metrics),
    ]
    return "\n".join(lines) + "\n"


def _data(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield "| Part | Questions | Candidates | Right |"
    yield "| --- | --- | --- | --- |"
    for title, part in (
        ("trained on", "fit"),
        ("held out: epoch, weights of the sum", "held_out"),
        ("dev: the figures below", "dev"),
    ):
        numbers = metrics["parts"][part]
        counts = (numbers[n] for n in ("questions", "candidates", "right"))
        yield f"| {title} | {' | '.join(f'{count:,}' for count in counts)} |"
    yield ""
    digests = {
        name: digest if isinstance(digest, str) else " ".join(digest)
        for name, digest in metrics["inputs"].items()
        if digest
    }
    yield "Digests of the inputs: " + ", ".join(
        f"{name} {digest}" for name, digest in digests.items()
    )
    for warning in data_warnings(metrics):
        yield from ("", warning)


def _settings(metrics: Mapping[str, Any]) -> Iterator[str]:
    bert, fitted = metrics.get("bert"), metrics["fitted"]
    yield (
        f"- recipe {metrics['recipe']}, seed {metrics['seed']}, Keras on "
        f"{metrics['backend']}"
    )
    if bert:
        yield f"- trained from the BERT {bert}"
    yield (
        f"- word vectors{' of the floors' * bool(bert)}: "
        f"{', '.join(metrics['vectors'])}; "
        f"{metrics['vocabulary_size']:,} words"
    )
    for line in metrics["coverage"].splitlines():
        yield f"- {line}"
    for name, value in metrics["settings"].items():
        yield f"- {name}: {value}"
    for name, epoch in fitted.get("best_epochs", {}).items():
        yield f"- best epoch of {name}: {epoch}"
    for name, weight in fitted.get("sum", {}).get("weights", {}).items():
        yield f"- weight of {name}: {weight:.3f}"


def _limits(metrics: Mapping[str, Any]) -> Iterator[str]:
    bert, settings = metrics.get("bert"), metrics["settings"]
    yield (
        f"- Answers are cut to {settings['max_answer_length']} "
        f"{'word pieces' if bert else 'words'}, "
        f"questions to {settings['max_question_length']}."
    )
    if bert:
        yield f"- It is of no use in languages that {bert} was not trained on."
    else:
        same = "the same word only" if settings["oov_buckets"] else "nothing"
        yield (
            "- Words that neither the questions trained on nor those held out "
            f"have are unknown: they match {same}."
        )
    yield (
        "- The figures hold for questions and candidates like those of dev, "
        "of this subject and this language."
    )
    if "dev" in metrics["mined"]:
        yield (
            "- Candidates of dev were found by BM25. An answer that BM25 does "
            "not find is not in the figures, and one that is right for "
            "several questions counts as wrong for the others."
        )
