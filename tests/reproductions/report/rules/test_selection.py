"""What chose the epoch, and the number of its questions."""

from reproductions.records.seed_groups import group_runs
from reproductions.report.rules.selection import chosen_by
from reproductions.report.rules.selection import epochs_of
from support.report_pages import run

FITTED = {"epochs": 5, "training": {"pairs": 90, "questions": 700}}
WHOLE = {"epochs": 5, "training": {"pairs": 99, "questions": 873}}


def phrases(*runs):
    groups = group_runs(runs)
    return {chosen_by(group, groups) for group in groups}


def test_a_fold_is_train_less_what_was_fitted():
    found = phrases(run(**FITTED), run(recipe="best", **FITTED))
    assert found == {"on a fold of train"}
    whole = run(training_set="train", settings={"average_last": 5}, **WHOLE)
    assert phrases(run(**FITTED), whole) == {
        "on a fold of train, 173 questions",
        "by the recipe, beforehand",
    }
    # Of another data set it is another train.
    assert "on a fold of train" in phrases(
        run(**FITTED), whole | {"dataset": "trecqa-raw"}
    )


def test_test_is_chosen_on_dev_and_records_come_first():
    on_test = run(split="test", training_set="train", **WHOLE)
    assert "on dev, 126 questions" in phrases(run(**FITTED), on_test)
    assert phrases(run(selection_questions=17, **FITTED)) == {
        "on a fold of train, 17 questions"
    }


def test_floors_have_no_epoch():
    folds = run(settings={"folds": 3}, **WHOLE)
    floor = run(model="bm25", recipe="untrained")
    groups = group_runs([folds, floor])
    assert epochs_of(groups, groups) == (
        "Epochs were chosen by cross-validation over 3 folds of train."
    )
    assert epochs_of(group_runs([floor]), groups) == ""
