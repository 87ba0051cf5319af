"""The file of figures and the options that all benchmarks share."""

import json
from dataclasses import dataclass

import pytest

import benchmarks.hyperqa_epoch
import devtools.benchmarks.answer_ranking
from benchmarks.options import option_parser
from benchmarks.results import compact
from benchmarks.results import conclude


@dataclass(frozen=True)
class Settings:
    rounds: int = 3


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"a": [0.1] * 50, "é": {"b": ["c" * 200, {}], "d": None}},
        [[1, 2], "x" * 300, {"a": {"b": {"c": [True] * 90}}}],
    ],
)
def test_figures_are_the_same_in_fewer_lines(value):
    text = compact(value)
    assert json.loads(text) == value
    assert len(text.splitlines()) < 1 + len(
        json.dumps(value, indent=1).splitlines()
    )


def test_measurements_stand_in_a_line_each():
    seconds = {"fast": [0.123456789] * 9, "slow": [1.23456789] * 9}
    text = compact({"seconds": seconds})
    assert text.splitlines()[2:4] == [
        f'  "fast": {json.dumps(seconds["fast"])},',
        f'  "slow": {json.dumps(seconds["slow"])}',
    ]


def test_a_benchmark_ends_with_its_report_and_its_file(tmp_path, capsys):
    path = tmp_path / "figures.json"
    found = conclude(
        path,
        Settings(),
        10**6,
        lambda: {"seconds": [2.0, 4.0]},
        lambda settings, measured: {"mean": sum(measured["seconds"]) / 2},
        lambda settings, measured, summary: print(summary["mean"]),
    )
    assert found["summary"] == {"mean": 3.0}
    written = json.loads(path.read_text())
    assert written["settings"] == {"rounds": 3}
    assert written["seconds"] == [2.0, 4.0]
    assert capsys.readouterr().out.startswith(f"3.0\n\n{path} (0 s)")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (benchmarks.hyperqa_epoch, "benchmarks.hyperqa_epoch"),
        (
            devtools.benchmarks.answer_ranking,
            "devtools.benchmarks.answer_ranking",
        ),
    ],
)
def test_the_help_names_the_command(module, name):
    parser = option_parser(module.__file__, "About.", Settings, ("rounds",))
    assert parser.prog == f"python -m {name}"
    options = parser.parse_args(["--rounds", "5"])
    assert options.rounds == 5
    assert options.json.suffix == ".json"
