"""Compares the spaces of HyperQA's texts at equal tuning.

    python -m reproductions.hyperqa.spaces --data-dir DIR \
        --embeddings minilm-static-300d.bin --output-dir runs/spaces

For each data set and variant, six settings are measured on two folds of train;
the best, for the best number of epochs there, is trained on all of train with
ten seeds, and ranks dev once. What all variants share is in `SHARED`. A stopped
command continues where it was when it is given again. `--datasets`,
`--variants` and `--seeds` choose a part; parts may run at the same time.

`--page reproductions/hyperqa/spaces.md` writes the table of what is finished.
The hyperbolic radii of the texts of some of these runs, made with
`--keep-models`, are drawn by `python -m reproductions.hyperqa.radii`.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.files.whole import write_text
from reproductions.harness.command import with_messages
from reproductions.harness.memory import forget_models
from reproductions.harness.studies.making import run_all
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.hyperqa.experiment import EXPERIMENT
from reproductions.report import markdown
from reproductions.report.rules.claims import corrected

Changes = dict[str, Any]

DATASETS = ("wikiqa", "trecqa-clean", "semeval")
SEEDS = tuple(range(1, 11))
FOLDS = 2
MOST_EPOCHS = 10
AVERAGED = 5
# Of all variants, in place of what recipe `best` has: one set-up, in which the
# score is the similarity alone.
SHARED: Changes = {
    "word_norm": "unit",
    "objective": "paper",
    "joint_weight": None,
    "concatenate_embeddings": False,
}
# Equation 9 only makes AdaGrad's accumulator negligible, see `deviations.md`.
EUCLIDEAN: Changes = {"conversion": "none", "initial_accumulator": 1e-8}
TRIAL = "trial.json"
RATES = (0.005, 0.01)


@dataclass(frozen=True)
class Variant:
    """A space of the texts' vectors.

    Attributes:
        model: name of the model.
        settings: what makes the variant, in addition to `SHARED`.
        tuned: the setting that is tuned besides the learning rate.
        values: its three values.
    """

    model: str
    settings: Changes
    tuned: str
    values: tuple[float, float, float]

    def candidates(self) -> list[Changes]:
        """The settings that the search tries."""
        return [
            {"learning_rate": rate, self.tuned: value}
            for rate in RATES
            for value in self.values
        ]


def _tangent(
    projection: str, values: tuple[float, float, float], **further: Any
) -> Variant:
    tuned = "radius" if projection in ("sphere", "radius") else "scale"
    settings = {"projection": projection, "margin": 0.5, **EUCLIDEAN, **further}
    return Variant("hyperqa", settings, tuned, values)


VARIANTS = {
    "cosine": Variant("cosineqa", {}, "margin", (0.05, 0.1, 0.2)),
    "log": Variant("logcosineqa", {}, "margin", (0.2, 0.5, 1.0)),
    "clip": Variant("hyperqa", {}, "margin", (0.2, 0.5, 1.0)),
    "sphere": _tangent("sphere", (2.0, 4.0, 8.0)),
    "radius": _tangent("radius", (2.0, 4.0, 8.0)),
    "radius-asymmetric": _tangent("radius", (2.0, 4.0, 8.0), asymmetric=True),
    "radius-curved": _tangent(
        "radius", (2.0, 4.0, 8.0), trainable_curvature=True
    ),
    "lorentz-sum": _tangent("lorentz", (0.02, 0.05, 0.1)),
    "lorentz-mean": _tangent("lorentz", (0.5, 1.0, 2.0), pooling="mean"),
    "einstein": _tangent("einstein", (0.25, 0.5, 1.0)),
}
CONTROLS = ("cosine", "clip")
LEVEL = 0.05
PAGE = """\
# The spaces of HyperQA's texts at equal tuning

<!-- Written by `python -m reproductions.hyperqa.spaces --page`; edits will be
lost. -->

MAP on dev, mean over seeds ± the sample standard deviation, and the difference
to two controls with the p value of a permutation test over questions, of their
means over seeds. Chosen are, of six settings, those that were best on folds of
train; the last column is their MAP there. The runs are in
`spaces.jsonl`.

![Distances of the texts from the origin](pictures/radii.png)

Where the texts of one run of each of four spaces lie, on WikiQA's dev: the clip
puts all on one sphere, and a radius that is learned for each text hardly leaves
the common one. `python -m reproductions.hyperqa.radii --run RUN --output-dir
DIR` drew it; the figures are in `pictures/radii.md`.
"""


def assignments(changes: Changes) -> list[str]:
    """Settings as values of the option `--set`."""
    return [f"{name}={json.dumps(value)}" for name, value in changes.items()]


def searched(dataset: str, name: str, arguments: argparse.Namespace) -> Changes:
    """The settings that are best on the folds; measures what is missing."""
    from reproductions.harness.studies.trials import trainer

    variant = VARIANTS[name]
    folder = search_folder(dataset, name, arguments)
    options = {
        **{"dataset": dataset, "model": variant.model, "recipe": "best"},
        **{"data-dir": arguments.data_dir, "seed": 1},
    }
    settings = {
        **{**SHARED, **variant.settings},
        **{"folds": FOLDS, "epochs": MOST_EPOCHS, "average_last": 0},
    }
    given = [
        *(f"--{option}={value}" for option, value in options.items()),
        *("--embeddings", *arguments.embeddings),
        *(f"--set={text}" for text in assignments(settings)),
        *(f"--set={text}" for text in arguments.set),
    ]
    train = trainer(EXPERIMENT, given, folder)
    for trial, changes in enumerate(variant.candidates()):
        new = not (folder / "trials" / str(trial) / TRIAL).exists()
        forget_models()
        # Reads one that was measured before, of the same vectors and settings.
        reached = train(changes, str(trial))["MAP"]
        if new:
            print(f"{dataset} {name}: MAP {reached:.4f} {changes}", flush=True)
    return best_of(folder)


def search_folder(
    dataset: str, name: str, arguments: argparse.Namespace
) -> Path:
    """The folder of a variant's trials."""
    folder: Path = arguments.output_dir / "searches" / f"{dataset}-{name}"
    return folder


def best_trial(folder: Path) -> dict[str, Any]:
    """The record of the trial with the highest MAP, the first of equal ones."""
    paths = sorted(folder.glob(f"trials/*/{TRIAL}"))
    trials = [json.loads(path.read_text("utf-8")) for path in paths]
    return max(trials, key=lambda trial: trial["metrics"].get("MAP", 0.0))


def best_of(folder: Path) -> Changes:
    """The settings of a search's best trial, and how long to train with them.

    Both halves of train together take twice the steps of a fold in an epoch;
    the mean of the last five epochs' weights is centred on the best one.
    """
    best = best_trial(folder)
    epochs = max(AVERAGED, best["epochs"] + AVERAGED // 2)
    return {
        **best["settings"],
        **{"epochs": epochs, "average_last": AVERAGED},
    }


def planned(
    dataset: str, name: str, chosen: Changes, arguments: argparse.Namespace
) -> Iterator[PlannedRun]:
    """The runs of a variant with the chosen settings."""
    variant = VARIANTS[name]
    settings = {**SHARED, **variant.settings, **chosen}
    for seed in arguments.seeds:
        run = plan_run(
            dataset,
            variant.model,
            "best",
            seed,
            arguments.embeddings,
            [*assignments(settings), *arguments.set],
            parts=(),
        )
        # The settings are in the run's own `settings.json`.
        yield PlannedRun(f"{dataset}-{name}-{seed}", run.options, run.vectors)


def search_and_run(
    dataset: str, name: str, arguments: argparse.Namespace
) -> int:
    """Makes what is missing of a variant; returns the exit status."""
    chosen: Changes = {}
    status = with_messages(
        lambda: chosen.update(searched(dataset, name, arguments))
    )
    if status or arguments.search_only:
        return status
    runs = planned(dataset, name, chosen, arguments)
    return run_all(EXPERIMENT.name, runs, arguments)


def page(arguments: argparse.Namespace) -> str:
    """The tables of the finished runs, with tests against the controls."""
    from keras_qa.ranking.intervals import paired_difference

    parts, found = [PAGE], []
    for dataset in arguments.datasets:
        values = {
            name: np.array(measured)
            for name in arguments.variants
            if (measured := list(_measured(dataset, name, arguments)))
        }
        rows = []
        tests: dict[tuple[str, str], tuple[float, float]] = {}
        for name, runs in values.items():
            row = [name, f"{runs.mean():.4f} ± {_deviation(runs):.4f}"]
            for control in CONTROLS:
                if control == name or control not in values:
                    row.append("–")
                    continue
                difference, p_value = paired_difference(
                    runs.mean(axis=0), values[control].mean(axis=0)
                )
                tests[control, name] = (difference, p_value)
                row.append(f"{difference:+.4f} (p {p_value:.3f})")
            best = best_trial(search_folder(dataset, name, arguments))
            settings = assignments(best["settings"])
            row += [
                str(len(runs)),
                ", ".join(f"`{text}`" for text in settings),
                f"{best['metrics']['MAP']:.4f}",
            ]
            rows.append(row)
        heads = ["Space", "MAP", *(f"to {c}" for c in CONTROLS)]
        heads += ["Seeds", "Chosen", "Folds of train"]
        parts.append(f"## `{dataset}`\n")
        parts.append(markdown.table(heads, rows))
        found.append(above_controls(tests))
        parts += verdicts(found[-1])
    return "\n".join([*parts, *conclusion(found)])


def above_controls(
    tests: Mapping[tuple[str, str], tuple[float, float]],
) -> dict[str, list[str]]:
    """The spaces of a data set that are significantly above each control.

    Args:
        tests: the difference and the p value of the tests, by control and
            space; the p values are corrected here.
    """
    p_values = dict(
        zip(tests, corrected([p for _, p in tests.values()]), strict=True)
    )
    return {
        control: [
            name
            for (other, name), (difference, _) in tests.items()
            if other == control
            and difference > 0
            and p_values[other, name] < LEVEL
        ]
        for control in CONTROLS
    }


def verdicts(above: Mapping[str, Sequence[str]]) -> list[str]:
    """What the tests of a data set say, a line for each control."""
    return [
        "By Holm's correction over these tests, at 5%:\n",
        *(
            f"- significantly above `{control}`: {markdown.names(names)}"
            for control, names in above.items()
        ),
        "",
    ]


def conclusion(found: Sequence[Mapping[str, Sequence[str]]]) -> list[str]:
    """What the tests of all data sets say, for each control.

    Args:
        found: what `above_controls` returned, of each data set.
    """
    lines = []
    for control in CONTROLS:
        names = [name for above in found for name in above[control]]
        twice = dict.fromkeys(n for n in names if names.count(n) > 1)
        lines.append(f"- `{control}`: {markdown.names(twice)}")
    return [
        "## On two or more data sets\n",
        f"Of the {len(found)} data sets, the spaces that are significantly "
        "above a control on\ntwo or more:\n",
        *lines,
        "",
    ]


def _measured(
    dataset: str, name: str, arguments: argparse.Namespace
) -> Iterator[list[float]]:
    """The average precision of each question, of each finished run."""
    from reproductions.by_question import question_metric

    for seed in arguments.seeds:
        folder = arguments.output_dir / f"{dataset}-{name}-{seed}"
        if (folder / "metrics.json").exists():
            found = question_metric(folder, "MAP")
            yield [found[question] for question in sorted(found)]


def _deviation(values: np.ndarray) -> float:
    """The sample standard deviation of the seeds' means, 0 of one seed."""
    means = values.mean(axis=1)
    return float(means.std(ddof=1)) if len(means) > 1 else 0.0


def main(argv: Sequence[str] | None = None) -> int:
    """Makes searches and runs, or the page; returns the exit status."""
    parser = study_parser(
        EXPERIMENT,
        __doc__,
        "runs/spaces",
        datasets=DATASETS,
        seeds=SEEDS,
        recipe="best",
        splits=False,
        changed="search and run",
    )
    parser.prog = "python -m reproductions.hyperqa.spaces"
    parser.add_argument(
        "--variants",
        nargs="+",
        choices=tuple(VARIANTS),
        default=list(VARIANTS),
        metavar="NAME",
        help="default: all, " + ", ".join(VARIANTS),
    )
    parser.add_argument(
        "--search-only", action="store_true", help="do not read dev"
    )
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="write the table of what is finished, and run nothing",
    )
    arguments = parser.parse_args(argv)
    if arguments.page:

        def write() -> None:
            write_text(arguments.page, page(arguments))

        return with_messages(write)
    for dataset in arguments.datasets:
        for name in arguments.variants:
            status = search_and_run(dataset, name, arguments)
            if status:
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
