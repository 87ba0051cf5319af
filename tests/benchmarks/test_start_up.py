"""The benchmark of the start: its commands, figures and table."""

import json

import pytest

from benchmarks import start_up
from keras_qa.cli.main import make_parser

pytestmark = pytest.mark.once


def test_figures_are_medians_and_their_ratios(tmp_path, monkeypatch, capsys):
    asked = []

    def seconds(folder, *words):
        asked.append(words)
        return (0.5 if "onnx" in "".join(words) else 8.0) * len(asked)

    monkeypatch.setattr(start_up, "seconds", seconds)
    settings = start_up.Settings(rounds=3)
    measured = start_up.measure(settings, tmp_path)
    assert len(asked) == 3 * (1 + 2 * len(start_up.COMMANDS))
    assert ("rank", "ranker-onnx", *start_up.COMMANDS["rank"][1:]) in asked
    for words in set(asked) - {("--help",)}:
        # What it cannot read ends the process.
        assert make_parser(words).parse_args(words).run
    summary = start_up.summarise(settings, measured)
    # The second, ninth and sixteenth command of all.
    assert measured["seconds"]["rank"]["onnx"] == [1.0, 4.5, 8.0]
    assert summary["median_seconds"]["rank"]["onnx"] == 4.5
    assert summary["onnx_against_tensorflow"]["rank"] == 4.5 / 80
    assert not summary["bounds"]["rank with onnx, seconds"]["reached"]
    start_up.report(settings, measured, summary)
    assert "| `rank` | 4.50 s | 80.00 s | 0.06 |" in capsys.readouterr().out


@pytest.mark.large
def test_smoke(tmp_path):
    path = tmp_path / "figures.json"
    assert start_up.main(["--smoke", "--json", str(path)]) == 0
    found = json.loads(path.read_text())
    assert found["summary"]["onnx_against_tensorflow"]["rank"] < 0.5
    assert "| `ask` |" in start_up.table(found)
