"""Cells, their bands, and what is said of a run that was made again."""

from functools import cache
from pathlib import Path

import pytest

from reproductions import replay
from reproductions.records.json_lines import RecordError
from reproductions.records.paired_tests import Condition
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import group_runs
from support.report_pages import run
from support.report_pages import seeds

CELL = "hyperqa/wikiqa/hyperqa/best/seed-1"
VALUES = [0.70, 0.71, 0.73, 0.72, 0.69]


def cells(*runs, rankings=()):
    return replay.find_cells(group_runs(runs), rankings)


def test_a_cell_is_the_condition_recorded_last_dev_first():
    found = cells(
        run(MAP=0.1, recipe="best", split="test"),
        run(MAP=0.2, recipe="best", vectors=["old.bin"]),
        run(MAP=0.3, recipe="best", vectors=["new.bin"]),
        run(MAP=0.4, recipe="best", split="test", vectors=["later.bin"]),
        run(MAP=0.5, recipe="best", overrides={"sampler": "max"}),
        run(MAP=0.6, recipe="best", row="4E", model="m", split="test"),
        run(MAP=0.7, recipe="paper", split="test", once=True),
    )
    assert {n: c.run["metrics"]["MAP"] for n, c in found.items()} == {
        "hyperqa/wikiqa/4E/best/seed-1": 0.6,
        CELL: 0.3,
    }


def test_bands_hold_a_further_seed():
    low, high = replay.band(VALUES)
    # Mean 0.71, deviation 0.0158114, t of 4 degrees 2.776445, √(6/5).
    half = 2.776445 * 0.0158114 * 1.0954451
    assert (low, high) == pytest.approx((0.71 - half, 0.71 + half), abs=1e-6)
    assert replay.band([0.7]) == pytest.approx((0.6995, 0.7005))
    # Equal seeds need not come back to the last digit.
    assert replay.band([0.7] * 3) == pytest.approx((0.6995, 0.7005))


@pytest.mark.parametrize(("value", "inside"), [(0.758, True), (0.7582, False)])
def test_figures_outside_are_said(value, inside):
    runs = [r | {"run_sha256": "aa"} for r in seeds(*VALUES, recipe="best")]
    cell = cells(*runs)[CELL]
    new = {"metrics": {"MAP": value}, "run_sha256": "aa" if inside else "bb"}
    found, lines = replay.judge(cell, new)
    assert found == inside
    word = "inside" if inside else "OUTSIDE"
    assert f"; {word} [0.6619, 0.7581], the band of 5 seeds" in lines[0]
    same = "the very same" if inside else "another ranking"
    assert lines[1].startswith(f"  run.trec: {same} (")


def test_epochs_have_bands_of_their_own():
    recorded = {"loss": [[1.0, 0.5, 0.1], [1.2, 0.6], [1.1, 0.4]]}
    found = {"loss": [1.1, 5.0, 7.0], "MAP": [0.5]}
    # Only one seed has a third epoch, and none a MAP.
    assert replay.outside_epochs(recorded, found) == {"loss": [2]}
    runs = seeds(0.7, 0.8, recipe="best", history=recorded)
    for one, loss in zip(runs, recorded["loss"], strict=False):
        one["history"] = {"loss": loss}
    cell = cells(*runs)[CELL]
    new = {"metrics": {"MAP": 0.75}, "history": {"loss": [1.1, 9.0]}}
    assert replay.judge(cell, new)[1][-1] == (
        "  loss: epochs outside their bands: 2"
    )


def test_rankings_tell_checksum_and_history():
    runs = seeds(0.7, 0.8, recipe="best")
    condition = Condition(
        "hyperqa", "best", ["other"], "t", {}, [1, 2], 0.75, None
    )
    ranking = Ranking(
        *("hyperqa", "wikiqa", "dev", "MAP", 126, condition, (0.6, 0.9), 0.95),
        *(10, ["aa", "bb"], {"loss": [[1.0], [2.0]]}, {}),
    )
    cell = cells(*runs, rankings=[ranking])[CELL.replace("seed-1", "seed-2")]
    assert cell.run_sha256 == "bb"
    assert cell.history == {"loss": [[1.0], [2.0]]}
    assert cell.seconds is None
    timed = cells(*seeds(0.7, recipe="best", epochs=4))[CELL]
    assert timed.seconds == 6


def test_cells_are_chosen_by_name_or_by_time(monkeypatch):
    found = cells(
        *seeds(0.7, 0.8, recipe="best", epochs=4),
        run(dataset="sample", epochs=100),
    )
    monkeypatch.setattr(
        replay, "lacking", lambda cell, root: cell.group.dataset == "sample"
    )
    root = Path("nowhere")
    assert [c.name for c in replay.chosen(found, [CELL], None, root)] == [CELL]
    # A second run of one would find the folder of the first.
    assert len(replay.chosen(found, [CELL, CELL], 7, root)) == 2
    assert len(replay.chosen(found, [], 7, root)) == 2
    assert len(replay.chosen(found, [], 6, root)) == 0
    assert len(replay.chosen(found, [], 1000, root)) == 2
    with pytest.raises(RecordError, match=r"that --list shows\. Received"):
        replay.chosen(found, ["hyperqa/none"], None, root)


def test_missing_data_and_vectors_are_found(tmp_path, monkeypatch):
    files = [f"{tmp_path}/embeddings/v.bin", "skipgram"]
    monkeypatch.setattr(replay, "options_of", lambda *_: files)
    cell = cells(run(recipe="best"))[CELL]
    assert replay.lacking(cell, tmp_path) == ["wikiqa", "v.bin"]
    (tmp_path / "WikiQA").mkdir()
    (tmp_path / "embeddings").mkdir()
    (tmp_path / "embeddings/v.bin").touch()
    assert replay.lacking(cell, tmp_path) == []


def test_the_exit_status_is_that_of_the_figures(monkeypatch, capsys, tmp_path):
    value = {"MAP": 0.0}
    monkeypatch.setattr(
        replay, "replay", lambda *_: {"metrics": dict(value), "history": {}}
    )
    # Read once, not by each of the commands.
    monkeypatch.setattr(replay, "read_all_runs", cache(replay.read_all_runs))
    monkeypatch.setattr(replay, "read_rankings", cache(replay.read_rankings))
    cell = "hyperqa/sample/hyperqa/best/seed-1"
    options = [cell, "--output-dir", str(tmp_path)]
    assert replay.main(options) == 1
    assert f"outside: {cell}" in capsys.readouterr().err
    value["MAP"] = 0.84
    assert replay.main(options) == 0
    assert "inside [" in capsys.readouterr().out

    def fails(*_):
        raise RecordError("no such option")

    monkeypatch.setattr(replay, "replay", fails)
    other = cell.replace("hyperqa/best", "cosineqa/best")
    assert replay.main([cell, other]) == 1
    printed = capsys.readouterr()
    assert printed.out.count("not run: no such option") == 2
    assert f"outside: {cell}, {other}" in printed.err
    assert replay.main(["--list"]) == 0
    assert cell in capsys.readouterr().out
    assert replay.main(["nothing"]) == 2
