"""Checks of arguments say what was expected and received."""

import numpy as np
import pytest

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_lists
from keras_qa.arguments import check_positive_or_none
from keras_qa.arguments import did_you_mean
from keras_qa.errors import DatasetError


def test_a_choice():
    check_choice("pooling", "max", ("max", "mean"))
    with pytest.raises(ValueError) as caught:
        check_choice("pooling", "maxx", ("max", "mean"))
    assert str(caught.value) == (
        "`pooling` must be one of ('max', 'mean'). Received: pooling='maxx'"
    )


def test_a_choice_with_a_note_and_an_error_of_its_own():
    with pytest.raises(DatasetError) as caught:
        check_choice("split", 3, ["dev"], note=" of X", error=DatasetError)
    assert str(caught.value) == (
        "`split` must be one of ['dev'] of X. Received: split=3"
    )


@pytest.mark.parametrize("size", [0, -1, 2.5, 2.0, "2", True, None])
def test_sizes_are_positive_integers(size):
    check_positive(units=1, filters=np.int64(3))
    with pytest.raises(ValueError) as caught:
        check_positive(units=1, filters=size)
    assert str(caught.value) == (
        f"`filters` must be a positive integer. Received: filters={size!r}"
    )


def test_several_sizes():
    check_positive_lists(hidden_units=(), filters=[1, 2])
    for wrong in ((3, 0), [2.5], 4):
        with pytest.raises(ValueError) as caught:
            check_positive_lists(hidden_units=wrong)
        assert str(caught.value) == (
            "`hidden_units` must be a list of positive integers. "
            f"Received: hidden_units={wrong!r}"
        )


def test_no_size_or_a_positive_one():
    check_positive_or_none(units=None, filters=3)
    with pytest.raises(ValueError) as caught:
        check_positive_or_none(units=2.5)
    assert str(caught.value) == (
        "`units` must be a positive integer or None. Received: units=2.5"
    )


@pytest.mark.parametrize("count", [-1, 0.5, "2", False, None])
def test_counts_are_integers_and_not_negative(count):
    check_not_negative(layers=0)
    with pytest.raises(ValueError, match="`layers` must not be negative"):
        check_not_negative(layers=count)


def test_the_nearest_name():
    known = ("dropout", "units")
    assert did_you_mean("drop_out", known) == " Did you mean `dropout`?"
    assert did_you_mean("margin", known) == ""
