"""Bars in a terminal, lines elsewhere."""

import re
from itertools import count
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa import progress
from keras_qa.progress import ProgressBar
from keras_qa.training import fitting
from keras_qa.training.fitting import EpochProgress


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(progress, "in_terminal", lambda: True)
    monkeypatch.setattr("keras_qa.training.fitting.in_terminal", lambda: True)


def train(epochs, steps=40):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(
        np.ones((steps, 2)),
        np.ones((steps, 1)),
        batch_size=1,
        epochs=epochs,
        verbose=0,
        callbacks=[EpochProgress(epochs, 0, "model", "MAP")],
    )


def test_a_log_has_one_line_for_a_bar(capsys):
    for _ in ProgressBar(range(1200), desc="Encode", unit="answer"):
        pass
    with ProgressBar(total=3, unit=" words") as bar:
        bar.update()
    shown = capsys.readouterr().err
    assert re.fullmatch(
        r"Encode: 1,200 answers in \d\.\d s\n1 word in \d\.\d s\n", shown
    )


def test_a_bar_that_is_switched_off_has_no_line(capsys):
    for _ in ProgressBar(range(3), disable=True):
        pass
    assert capsys.readouterr().err == ""


def test_a_log_has_one_line_an_epoch(capsys):
    train(2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    for number, line in enumerate(lines, 1):
        expected = rf"model: epoch {number}/2, loss \d\.\d{{4}}, \d+\.\d s"
        assert re.fullmatch(expected, line)


def test_a_long_epoch_has_lines_in_a_log(monkeypatch, capsys):
    # The clock of a training whose steps take two minutes.
    clock = SimpleNamespace(perf_counter=count(0, 120).__next__)
    monkeypatch.setattr(fitting, "time", clock)
    train(1, steps=6)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        "model: epoch 1/1, step 3/6, 360 s",
        "model: epoch 1/1, step 6/6, 720 s",
    ]
    assert re.fullmatch(r"model: epoch 1/1, loss \d\.\d{4}, 840\.0 s", lines[2])
    assert len(lines) == 3


def test_a_terminal_has_bars(terminal, capsys):
    train(2)
    for _ in ProgressBar(range(3), desc="Encode"):
        pass
    shown = capsys.readouterr().err
    assert "100%" in shown and "model" in shown and "Encode" in shown
    assert "epoch 1/2" not in shown
