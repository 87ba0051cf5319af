"""A paper is one object: a sixth one touches no shared file."""

import ast
import importlib
import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import keras
import pytest

import reproductions
from keras_qa import CosineQA
from keras_qa.training.corpus_scorer import CorpusScorer
from reproductions.harness import run as course
from reproductions.harness.command import parse_arguments
from reproductions.harness.command import run_command
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.objectives import pairwise_training
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.search_space import papers
from reproductions.harness.settings import CommonSettings
from reproductions.harness.settings import recorded
from reproductions.harness.studies.making import run_all
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.hyperqa import experiment as hyperqa
from support.new_process import run_code
from support.script_runs import FILES
from support.script_runs import metrics_of

ROOT = Path(reproductions.__file__).parent
SHARED = ("harness", "records", "report")


@dataclass(frozen=True)
class SixthSettings(CommonSettings):
    units: int = setting(4, "2.1", above=0)
    margin: float = setting(0.2, "eq. 1", above=0)
    negatives: int = setting(1, "not stated", least=1)
    sampler: str = setting("random", "2.2", choices=("random", "max"))
    sampler_pool: str = setting("own", "not stated", choices=("own", "all"))
    batch_size: int = setting(8, "3", above=0)


class Sixth(Experiment[SixthSettings]):
    """The sixth paper: a cosine, in a table of one row."""

    name = "sixth"
    settings = SixthSettings
    models = ("sixth-cosine", *FLOORS)
    recipes = {
        "paper": Recipe("as published"),
        "small": Recipe("for 2 cores", {"units": 2}),
    }
    of_dataset = {"sample": {"margin": 0.3}}

    def add_options(self, parser):
        parser.add_argument("--rate", type=float, default=0.01)

    def build_model(self, model, settings, matrix):
        return CosineQA(
            *matrix.shape, projection_dim=settings.units, embeddings=matrix
        )

    def build_learner(self, run):
        model = self.build_model("", run.settings, run.matrix)
        return Learner(
            CorpusScorer(model, run.corpus),
            keras.optimizers.Adam(run.arguments.rate),
        )

    def paper_training(self, run, learner):
        return pairwise_training(
            learner,
            run.settings,
            run.corpus.index(run.fit),
            run.arguments.seed,
        )

    def search_space(self):
        return {"units": [2, 4]}


FAST = ("--smoke", "--set=skipgram_dim=6", "--recipe=small")


def test_a_sixth_paper_is_run_from_one_object(tmp_path):
    """Trained, resumed, exported, measured and recorded."""
    folder, record = tmp_path / "run", tmp_path / "runs.jsonl"
    options = [*FAST, f"--output-dir={folder}", f"--record={record}"]
    assert run_command(Sixth(), [*options, "--rate=0.1"]) == 0
    assert {path.name for path in folder.iterdir()} >= FILES
    metrics = metrics_of(folder)
    assert (metrics["paper"], metrics["model"]) == ("sixth", "sixth-cosine")
    assert metrics["settings"] == {
        **recorded(SixthSettings()),
        **{"units": 2, "margin": 0.3, "skipgram_dim": 6},
    }
    assert metrics["overrides"] == {"skipgram_dim": 6}
    assert json.loads(record.read_text()) == metrics
    assert run_command(Sixth(), [*options, "--resume"]) == 0
    assert run_command(Sixth(), [*options, "--resume", "--seed=2"]) == 2
    floor = [*options[:-2], f"--output-dir={tmp_path / 'floor'}"]
    assert run_command(Sixth(), [*floor, "--model=bm25"]) == 0
    assert metrics_of(tmp_path / "floor")["recipe"] == "untrained"


@pytest.mark.slow
def test_a_sixth_paper_has_a_study(tmp_path, without_export, monkeypatch):
    module = SimpleNamespace(EXPERIMENT=Sixth())
    name = "reproductions.sixth.experiment"
    monkeypatch.setitem(sys.modules, name, module)
    parser = study_parser(Sixth(), "About.", "runs", seeds=(1,), recipe="small")
    arguments = parser.parse_args(
        [
            *(f"--data-dir={tmp_path}", "--embeddings", "skipgram"),
            f"--output-dir={tmp_path}",
        ]
    )
    runs = [
        plan_run(
            *("sample", "sixth-cosine", arguments.recipe, seed),
            arguments.embeddings,
            ["skipgram_dim=6"],
            epochs=1,
        )
        for seed in arguments.seeds
    ]
    assert run_all("sixth", runs, arguments) == 0
    (folder,) = tmp_path.glob("sample-*")
    assert folder.name == "sample-sixth-cosine-small-seed1-skipgram_dim=6"
    left = {path.name for path in folder.iterdir()}
    assert left == {
        *("settings.json", "metrics.json", "history.csv"),
        *("run.trec", "qrels.trec"),
    }


def test_a_planned_run_has_the_seed_of_its_folder():
    run = plan_run("sample", "hyperqa", "paper", 0, ["random"])
    assert run.name.endswith("seed0")
    assert run.options[run.options.index("--seed") + 1] == "0"


def test_shared_code_names_no_paper_and_no_model():
    experiments = [
        importlib.import_module(f"reproductions.{paper}.experiment").EXPERIMENT
        for paper in papers()
    ]
    assert len(experiments) == 7
    models = {m for e in experiments for m in e.models} - {*FLOORS}
    # A word of its own, which every reader of a ranking needs.
    names = {*papers(), *models} - {"overlap"}
    for folder in SHARED:
        for path in (ROOT / folder).glob("*.py"):
            texts = {
                node.value
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Constant)
            }
            assert not texts & names, path


@pytest.mark.parametrize("paper", papers())
def test_a_wrong_value_is_refused_before_a_file_is_read(
    paper, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(course, "open_for", None)
    script = importlib.import_module(f"reproductions.{paper}.experiment")
    arguments = ["--dataset=wikiqa", f"--output-dir={tmp_path / 'run'}"]
    for change, message in (
        ("oov_scale=-1", "`oov_scale` must not be negative"),
        ("batch_size=0", "`batch_size` must be positive"),
        ("epochs=none", "`epochs` must be of type int"),
        ("learning_rte=1", "Did you mean `learning_rate`?"),
        ("pooling=foo", "Received: "),
    ):
        assert script.main([*arguments, f"--set={change}"]) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


MODULES = [
    *(f"{paper}.experiment" for paper in papers()),
    *(
        "fusion",
        "sample",
        "significance.__main__",
        "study",
        "report.pages",
        "learning_curves",
        "frontier",
        "retrieval",
    ),
    *("hyperqa.figures", "mrnn.figure5", "iam.tables"),
    "qa_lstm.figure5",
]


def test_help_imports_nothing_heavy():
    """Each command's help is there before Keras or gensim could be."""
    code = (
        "import importlib\n"
        f"for name in {MODULES}:\n"
        "    main = importlib.import_module('reproductions.' + name).main\n"
        "    try: main(['--help'])\n"
        "    except SystemExit as end: assert end.code == 0\n"
    )
    without = ("keras", "tensorflow", "gensim", "matplotlib", "scipy.stats")
    shown = run_code(code, without=without)
    assert shown.count("usage: python -m reproductions.") == len(MODULES)


@pytest.mark.large
@pytest.mark.parametrize("module", MODULES)
def test_help_takes_less_than_a_second(module):
    name = module.removesuffix(".experiment").removesuffix(".pages")
    start = _children_seconds()
    subprocess.run(
        [sys.executable, "-m", f"reproductions.{name}", "--help"],
        cwd=ROOT.parent,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    # On a machine that has nothing else to do.
    assert _children_seconds() - start < 1


def _children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_parsing_gives_no_other_papers_option(capsys):
    with pytest.raises(SystemExit):
        parse_arguments(Sixth(), ["--stage=lm"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model=cosineqa", "--set=radius=7"], "other models than cosineqa"),
        (["--set=mined=3"], "`mined` goes with every objective but paper"),
        (
            [
                *("--transfer", "selqa", "--set=mined=3"),
                "--set=transfer_objective=listwise",
            ],
            "`mined` goes with every objective but paper",
        ),
        (["--set=label_weight=0.5"], "`label_weight` goes with objective=kl"),
        (["--set=objective=kl"], "objective=kl needs `--teacher FOLDER`"),
        (["--teacher=x"], "must go with objective=margin-mse or kl"),
        (
            ["--set=objective=margin-mse", "--teacher=x", "--set=negatives=0"],
            "`negatives` must",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, message):
    arguments = parse_arguments(hyperqa.EXPERIMENT, options)
    with pytest.raises(SettingsError, match=message):
        hyperqa.EXPERIMENT.settings_of(arguments)


def test_what_goes_with_a_trainings_own_objective_is_accepted():
    """The first training has another one."""
    options = ["--teacher=x", "--set=objective=kl", "--set=mined=5"]
    options += ["--transfer", "selqa", "--set=transfer_objective=listwise"]
    arguments = parse_arguments(hyperqa.EXPERIMENT, options)
    assert hyperqa.EXPERIMENT.settings_of(arguments).mined == 5


@pytest.mark.parametrize(
    "option", ["--transfer-dir=shared", "--set=transfer_epochs=3"]
)
def test_a_first_training_needs_data(option, capsys):
    with pytest.raises(SystemExit):
        parse_arguments(hyperqa.EXPERIMENT, [option])
    assert "goes with --transfer" in capsys.readouterr().err


def test_epochs_are_said_once(capsys):
    with pytest.raises(SystemExit):
        parse_arguments(Sixth(), ["--epochs=4", "--set=epochs=5"])
    assert "--epochs and --set epochs=5: give one" in capsys.readouterr().err


def test_settings_of_the_first_training_go_with_it():
    given = ["--transfer=selqa", "--set=transfer_epochs=3", "--transfer-dir=a"]
    arguments = parse_arguments(hyperqa.EXPERIMENT, given)
    assert hyperqa.EXPERIMENT.settings_of(arguments).transfer_epochs == 3
