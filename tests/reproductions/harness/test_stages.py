"""Stages are reused while their inputs stay, and made anew when they change."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from keras_qa.training.run_folder import RunFolder
from reproductions.harness import stages
from reproductions.harness.errors import StageError
from reproductions.harness.stages import run_stage

KEPT = ("weights.npz",)
INPUTS = {"units": 3, "texts": "0a", "before": ["lm-1"]}


@pytest.fixture
def made():
    """The names of the folders that were made."""
    return []


@pytest.fixture
def make(made):
    def make(folder):
        made.append(folder.path.name)
        return {"loss": len(made)}

    return make


def test_equal_inputs_are_reused_others_are_not(tmp_path, capsys, made, make):
    first = run_stage(tmp_path, "lm", INPUTS, make, KEPT)
    assert capsys.readouterr().out == "lm: to be made, there is none yet\n"
    assert first.read_json("metrics.json") == {"loss": 1}
    assert json.loads((first.path / "settings.json").read_text()) == INPUTS
    # The order of the inputs does not matter.
    again = run_stage(
        tmp_path, "lm", dict(reversed(INPUTS.items())), make, KEPT
    )
    assert again.path == first.path and len(made) == 1
    assert capsys.readouterr().out == f"lm: reused, {first.path}\n"
    run_stage(tmp_path, "lm", {**INPUTS, "units": 4, "texts": "0b"}, make, KEPT)
    capsys.readouterr()
    # It is told apart from the stage that is most like it.
    other = run_stage(tmp_path, "lm", {**INPUTS, "units": 5}, make, KEPT)
    assert capsys.readouterr().out == (
        "lm: to be made, other inputs: `units` was 3 and is 5\n"
    )
    assert len({*made, other.path.name}) == len(made) == 3
    # The earlier ones are still there.
    assert run_stage(tmp_path, "lm", INPUTS, make, KEPT).path == first.path
    assert len(made) == 3


def test_of_nested_inputs_those_that_differ_are_named(tmp_path, capsys, make):
    for l2 in (0.0, 0.1):
        nested = {**INPUTS, "settings": {"epochs": 2, "l2": l2}}
        run_stage(tmp_path, "lm", nested, make, KEPT)
    assert capsys.readouterr().out.splitlines()[1] == (
        "lm: to be made, other inputs: `settings.l2` was 0.0 and is 0.1"
    )


def test_a_stage_of_another_name_is_another(tmp_path, made, make):
    for name in ("lm", "rbm", "lm"):
        run_stage(tmp_path, name, INPUTS, make, KEPT)
    assert [name.split("-")[0] for name in made] == ["lm", "rbm"]


def test_what_was_interrupted_goes_on_in_its_folder(tmp_path, made, make):
    def stop(folder):
        folder.write_json("progress.json", [1])
        make(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_stage(tmp_path, "lm", INPUTS, stop, KEPT)

    def go_on(folder):
        assert folder.read_json("progress.json") == [1]
        folder.write("weights.npz", Path.touch)
        return make(folder)

    folder = run_stage(tmp_path, "lm", INPUTS, go_on, KEPT)
    assert made == [folder.path.name] * 2
    # What was needed to go on is not any more.
    assert {path.name for path in folder.path.iterdir()} == {
        "metrics.json",
        "settings.json",
        "weights.npz",
    }


def test_an_interrupted_end_can_be_made_again(
    tmp_path, made, make, monkeypatch
):
    """The state to go on from stays until the stage is complete."""

    def stop(self, name, content):
        if name == "metrics.json":
            raise KeyboardInterrupt
        write_json(self, name, content)

    def leave_state(folder):
        folder.write_json("progress.json", [1])
        return make(folder)

    write_json = RunFolder.write_json
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_json", stop)
        with pytest.raises(KeyboardInterrupt):
            run_stage(tmp_path, "lm", INPUTS, leave_state, KEPT)
    (state,) = tmp_path.glob("lm-*/progress.json")
    run_stage(tmp_path, "lm", INPUTS, leave_state, KEPT)
    assert not state.exists() and len(made) == 2


def test_a_stage_that_must_be_there_is_asked_for(tmp_path, make):
    message = r"expected the finished stage lm; .*Received: there is none yet"
    with pytest.raises(StageError, match=message):
        run_stage(tmp_path, "lm", INPUTS, None, KEPT)
    assert not list(tmp_path.iterdir())
    run_stage(tmp_path, "lm", INPUTS, make, KEPT)
    run_stage(tmp_path, "lm", INPUTS, None, KEPT)
    with pytest.raises(StageError, match="Received: other inputs: `units` was"):
        run_stage(tmp_path, "lm", {**INPUTS, "units": 9}, None, KEPT)


def test_a_stage_that_another_process_makes_is_waited_for(
    tmp_path, capsys, made, make, monkeypatch
):
    other = stages.stage_folder(tmp_path, "lm", INPUTS).claim()

    def finish(seconds):
        other.write_json("metrics.json", {"loss": 0.5})
        other.__exit__(None, None, None)

    monkeypatch.setattr(stages, "time", SimpleNamespace(sleep=finish))
    folder = run_stage(tmp_path, "lm", INPUTS, make, KEPT)
    assert folder.read_json("metrics.json") == {"loss": 0.5}
    assert not made
    assert "lm: waits for process" in capsys.readouterr().out
