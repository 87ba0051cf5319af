"""Tests of differences, on values small enough to enumerate."""

import json
import shutil

import numpy as np
import pytest

from keras_qa.files.whole import file_digest
from keras_qa.ranking.intervals import mean_interval
from keras_qa.ranking.intervals import seeds_interval
from reproductions.by_question import Known
from reproductions.by_question import SignificanceError
from reproductions.by_question import question_metric
from reproductions.records.json_lines import RecordError
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.papers import WantedTest
from reproductions.records.question_values import QuestionValues
from reproductions.records.question_values import read_question_values
from reproductions.records.rankings import read_rankings
from reproductions.records.seed_groups import group_runs
from reproductions.report.paired_test_tables import paired_test_tables
from reproductions.significance import results
from reproductions.significance.__main__ import main
from reproductions.significance.folders import find_runs
from reproductions.significance.pairs import pairs
from reproductions.significance.results import paired_test
from reproductions.significance.results import ranking_of
from support.compared_runs import record
from support.compared_runs import write_run

ORDERS = {
    "ctrn": {"a": [1, 0], "b": [0, 1]},
    "qrnn": {"a": [0, 1], "b": [0, 1]},
    "lstm": {"a": [1, 0], "b": [0] * 9 + [1]},
}


def test_precisions_are_of_the_questions_with_an_answer(tmp_path):
    folder = write_run(
        tmp_path / "run", {"a": [1, 0], "b": [0, 1, 0, 1], "c": [0, 0]}
    )
    assert question_metric(folder, "MAP") == pytest.approx(
        {"a": 1, "b": (1 / 2 + 2 / 4) / 2}
    )


def test_seeds_are_averaged_before_questions_are_paired(tmp_path):
    right, wrong = [1, 0], [0, 1]
    for seed, orders in enumerate(
        ({"a": right, "b": right}, {"a": right, "b": wrong}), start=1
    ):
        write_run(tmp_path / f"ctrn{seed}", orders, seed=seed)
    write_run(tmp_path / "qrnn", {"a": wrong, "b": wrong}, model="qrnn", seed=3)
    first, second = group_runs(find_runs([tmp_path]))
    compared = paired_test(first, second, Known())
    assert compared.questions == 2
    # a: 1 against 1/2; b: 3/4 against 1/2.
    assert compared.difference == pytest.approx((0.5 + 0.25) / 2)
    assert compared.first.seeds == [1, 2]
    assert compared.first.mean == pytest.approx(0.875)
    assert compared.first.deviation == pytest.approx(0.25 / 2**0.5)
    assert compared.second.mean == 0.5
    assert compared.second.deviation is None
    # Of the four exchanges of two questions two are as far from 0.
    assert compared.p_value == 0.5


def test_stages_that_runs_share_are_no_runs(tmp_path):
    write_run(tmp_path / "run", {"a": [1, 0]})
    stage = tmp_path / "stages/lm-1"
    stage.mkdir(parents=True)
    (stage / "metrics.json").write_text('{"epochs": 3}')
    (run,) = find_runs([tmp_path])
    assert run["folder"] == str(tmp_path / "run")


def test_other_questions_are_refused(tmp_path):
    write_run(tmp_path / "one", {"a": [1, 0]})
    write_run(tmp_path / "two", {"b": [1, 0]}, model="qrnn")
    first, second = group_runs(find_runs([tmp_path]))
    with pytest.raises(
        SignificanceError, match="1 questions, not the same ones"
    ):
        paired_test(first, second, Known())


def test_rows_are_compared_by_the_metric_that_is_asked_for(tmp_path):
    fields = {
        "paper": "qa_lstm",
        "model": "attentive-lstm",
        "dataset": "insuranceqa-v1",
    }
    orders = {"a": [0, 1, 0], "b": [1, 0, 0]}
    for row, ranked in (("3N", orders), ("3M", {**orders, "b": [0, 1, 0]})):
        more = {"row": row, "settings": {"pooling": row}}
        write_run(tmp_path / row, ranked, **fields, **more)
    groups = group_runs(find_runs([tmp_path]))
    wanted = [WantedTest("3N", "3M", metric="P@1"), WantedTest("3M", "3M")]
    ((first, second, metric),) = pairs(groups, wanted, "qa_lstm")
    compared = paired_test(first, second, Known(), metric)
    assert (compared.first.row, compared.second.row) == ("3N", "3M")
    assert (compared.metric, compared.difference) == ("P@1", 0.5)
    # Average precision would be 3/4 and 1/2.
    assert compared.first.identity != compared.second.identity
    paper = load_papers()["qa_lstm"]
    table = "".join(paired_test_tables(paper, [compared]))
    # 69.0 - 67.8 and 64.8 - 63.2 in Table 3.
    assert "| Attentive LSTM (3N) | Attentive LSTM (3M) |" in table
    assert table.rstrip().endswith("| +0.012, +0.016 | 1, 1 |")


def test_command_updates_its_file(tmp_path, capsys):
    runs = tmp_path / "runs"
    orders = {"a": [1, 0], "b": [0, 1]}
    write_run(runs / "ctrn", orders)
    write_run(runs / "qrnn", {"a": [0, 1], "b": [0, 1]}, model="qrnn")
    output = tmp_path / "paired_tests.jsonl"
    arguments = [str(runs), "--output", str(output)]
    assert main(arguments) == 0
    before = output.read_bytes()
    (compared,) = read_paired_tests(output)
    assert (compared.first.model, compared.second.model) == ("ctrn", "qrnn")
    assert compared.difference == pytest.approx(0.25)
    assert "trecqa-raw dev: ctrn minus qrnn MAP +0.2500" in (
        capsys.readouterr().out
    )
    # Again: the same file. Another seed and another model: both are there.
    assert main(arguments) == 0
    assert output.read_bytes() == before
    write_run(runs / "again", orders, seed=2)
    write_run(runs / "lstm", orders, model="lstm")
    assert main(arguments) == 0
    updated = read_paired_tests(output)
    assert [(c.first.model, c.second.model) for c in updated] == [
        ("ctrn", "qrnn"),
        ("ctrn", "lstm"),
        ("qrnn", "lstm"),
    ]
    assert updated[0].first.seeds == [1, 2]
    names = {path.name for path in tmp_path.iterdir() if path.is_file()}
    # The runs of these folders have no MAP in their records.
    assert names == {
        "paired_tests.jsonl",
        "rankings.jsonl",
        "question_values.jsonl",
    }
    assert read_rankings(tmp_path / "rankings.jsonl") == []


def test_small_p_values_are_of_more_permutations(tmp_path):
    orders = {f"q{i}": [1, 0] for i in range(20)}
    turned = {name: [0, 1] for name in orders}
    write_run(tmp_path / "runs/ctrn", orders)
    write_run(tmp_path / "runs/qrnn", turned, model="qrnn")
    write_run(tmp_path / "runs/lstm", orders, model="lstm")
    output = tmp_path / "paired_tests.jsonl"
    command = [str(tmp_path / "runs"), "--output", str(output)]
    assert main(command) == 0
    found = {
        (test.first.model, test.second.model): test
        for test in read_paired_tests(output)
    }
    small, large = found["ctrn", "qrnn"], found["ctrn", "lstm"]
    # Of 20 equal differences all or none are turned: twice in 2^20.
    assert small.permutations == results.MANY
    assert small.p_value < results.SMALL / 50
    assert (large.permutations, large.p_value) == (10_000, 1.0)


def test_intervals_draw_seeds_and_questions():
    """Against resamples that are drawn one at a time."""
    rng = np.random.default_rng(1)
    first = rng.random((4, 30))
    second = rng.random((3, 30)) - 0.2
    means = []
    for _ in range(4000):
        asked = rng.integers(0, 30, 30)
        seeds = rng.integers(0, 4, 4), rng.integers(0, 3, 3)
        means.append(
            first[seeds[0]][:, asked].mean() - second[seeds[1]][:, asked].mean()
        )
    low, high = seeds_interval(first, second)
    expected = np.quantile(means, (0.025, 0.975))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.01)
    # Of one seed the questions alone are drawn.
    one = seeds_interval(first[:1])
    assert one == pytest.approx(mean_interval(first[0]), abs=0.01)
    assert seeds_interval(first, first[:, ::-1]) != (0, 0)
    assert seeds_interval(np.full((3, 5), 0.25)) == pytest.approx((0.25, 0.25))


def test_rankings_are_of_recorded_runs_alone(tmp_path, capsys):
    runs, orders = tmp_path / "runs", {"a": [1, 0], "b": [0, 1]}
    metrics = {"MAP": 0.75}
    write_run(runs / "ctrn", orders, metrics=metrics)
    (runs / "ctrn/history.csv").write_text(
        "epoch,loss,MAP,seconds\n1,0.5,0.7,9\n2,0.25,0.75,9\n"
    )
    write_run(runs / "qrnn", orders, model="qrnn", metrics=metrics)
    write_run(runs / "other", orders, model="lstm", metrics=metrics)
    known = [record(metrics=metrics), record(model="qrnn", metrics=metrics)]
    (tmp_path / "runs.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in known)
    )
    output = tmp_path / "paired_tests.jsonl"
    assert main([str(runs), "--output", str(output)]) == 0
    assert "1 run is not recorded: left out" in capsys.readouterr().out
    (test,) = read_paired_tests(output)
    assert test.resampled == "seeds and questions"
    ctrn, qrnn = read_rankings(tmp_path / "rankings.jsonl")
    assert (ctrn.condition.mean, ctrn.interval) == (0.75, (0.5, 1.0))
    assert ctrn.history == {"loss": [[0.5, 0.25]], "MAP": [[0.7, 0.75]]}
    assert qrnn.history == {}
    assert ctrn.run_sha256 == [file_digest(runs / "ctrn/run.trec")]
    mine, other = group_runs(known)
    assert [ctrn.of(mine), ctrn.of(other), qrnn.of(mine)] == [
        True,
        False,
        False,
    ]
    later = group_runs([record(metrics={"MAP": 0.74})])[0]
    assert not ctrn.of(later)


def test_the_records_say_which_run_of_a_seed_is_newer(tmp_path, capsys):
    every = []
    for name, orders, fields in (
        ("old", ORDERS["qrnn"], {"metrics": {"MAP": 0.5}}),
        ("qrnn", ORDERS["qrnn"], {"model": "qrnn", "metrics": {"MAP": 0.5}}),
        ("new", ORDERS["ctrn"], {"metrics": {"MAP": 0.75}}),
    ):
        folder = write_run(tmp_path / "runs" / name, orders, **fields)
        fields["run_sha256"] = file_digest(folder / "run.trec")
        every.append(record(**fields))
        (folder / "metrics.json").write_text(json.dumps(every[-1]))
    (tmp_path / "runs.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in every)
    )
    output = tmp_path / "paired_tests.jsonl"
    for folders in (["runs"], ["runs/new", "runs/qrnn", "runs/old"]):
        paths = [str(tmp_path / folder) for folder in folders]
        assert main([*paths, "--output", str(output)]) == 0
        (test,) = read_paired_tests(output)
        assert (test.first.mean, test.second.mean) == (0.75, 0.5)


def test_what_is_of_runs_that_were_replaced_is_removed(tmp_path):
    output = tmp_path / "paired_tests.jsonl"
    files = ("paired_tests.jsonl", "rankings.jsonl", "question_values.jsonl")

    def lines_of(runs, **metrics):
        """Number of lines of each file after the runs of these models."""
        every = []
        for model, value in metrics.items():
            fields = {"model": model, "metrics": {"MAP": value}}
            folder = write_run(tmp_path / runs / model, ORDERS[model], **fields)
            fields["run_sha256"] = file_digest(folder / "run.trec")
            every.append(record(**fields))
            (folder / "metrics.json").write_text(json.dumps(every[-1]))
        (tmp_path / "runs.jsonl").write_text(
            "".join(json.dumps(one) + "\n" for one in every)
        )
        command = [str(tmp_path / runs), "--output", str(output)]
        assert main(command) == 0
        return [
            len((tmp_path / name).read_text().splitlines()) for name in files
        ]

    assert lines_of("first", ctrn=0.75, qrnn=0.5, lstm=0.55) == [3, 3, 3]
    assert lines_of("second", ctrn=0.75, qrnn=0.5) == [1, 2, 2]


def test_seeds_without_values_are_named(tmp_path, capsys):
    runs, every = tmp_path / "runs", []
    for model in ("ctrn", "qrnn", "lstm"):
        every.append(record(model=model, metrics={"MAP": 0.75}))
        write_run(runs / model, ORDERS["ctrn"], model=model, metrics={})
        every[-1]["run_sha256"] = file_digest(runs / model / "run.trec")
        (runs / model / "metrics.json").write_text(json.dumps(every[-1]))
    for seed in (2, 4):
        every.append({**every[2], "seed": seed, "run_sha256": "0" * 64})
    (tmp_path / "runs.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in every)
    )
    output = tmp_path / "paired_tests.jsonl"
    assert main([str(runs), "--output", str(output)]) == 0
    assert (
        "ctrn, lstm, trecqa-raw dev: not tested, since the values of seeds "
        "2, 4 are not known" in capsys.readouterr().out
    )
    (test,) = read_paired_tests(output)
    assert (test.first.model, test.second.model) == ("ctrn", "qrnn")


def test_what_is_of_earlier_runs_is_not_computed_again(
    tmp_path, monkeypatch, capsys
):
    output = tmp_path / "paired_tests.jsonl"

    def run(name, **fields):
        fields["metrics"] = {"MAP": 0.75}
        folder = write_run(tmp_path / name, ORDERS[fields["model"]], **fields)
        fields["run_sha256"] = file_digest(folder / "run.trec")
        every.append(record(**fields))
        (folder / "metrics.json").write_text(json.dumps(every[-1]))
        return folder

    def command(folder):
        (tmp_path / "runs.jsonl").write_text(
            "".join(json.dumps(one) + "\n" for one in every)
        )
        assert main([str(folder), "--output", str(output)]) == 0
        return capsys.readouterr().out

    def contents():
        return [
            (tmp_path / name).read_bytes()
            for name in (output.name, "rankings.jsonl", "question_values.jsonl")
        ]

    every = []
    run("first/ctrn", model="ctrn")
    run("first/qrnn", model="qrnn")
    assert "1 computed, 0 of earlier runs" in command(tmp_path / "first")
    before = contents()
    smoke = run("unrecorded", model="lstm")
    every.pop()
    with monkeypatch.context() as patch:
        patch.setattr(results, "seeds_interval", None)
        patch.setattr(results, "paired_difference", None)
        shown = command(smoke)
    assert "1 run is not recorded: left out\n" in shown
    assert "0 computed, 1 of earlier runs" in shown
    assert contents() == before
    # Of another seed's condition all is new.
    shown = command(run("second/ctrn", model="ctrn", seed=2))
    assert "1 computed, 0 of earlier runs" in shown
    # Of other packages, too.
    packages = {"numpy": "0.1"}
    monkeypatch.setattr(results, "_versions", lambda: packages)
    assert "1 computed, 0 of earlier runs" in command(smoke)
    assert read_rankings(tmp_path / "rankings.jsonl")[0].versions == packages


def test_runs_are_compared_with_those_whose_folders_are_gone(tmp_path):
    """Their values are kept; a condition with a seed without them is not."""
    output = tmp_path / "paired_tests.jsonl"
    every = []

    def test_of(*models, seed=1):
        runs = tmp_path / f"runs-{seed}-{'-'.join(models)}"
        for model in models:
            fields = {"model": model, "seed": seed, "metrics": {"MAP": 0.75}}
            folder = write_run(runs / model, ORDERS[model], **fields)
            fields["run_sha256"] = file_digest(folder / "run.trec")
            every.append(record(**fields))
            (folder / "metrics.json").write_text(json.dumps(every[-1]))
        (tmp_path / "runs.jsonl").write_text(
            "".join(json.dumps(one) + "\n" for one in every)
        )
        assert main([str(runs), "--output", str(output)]) == 0
        shutil.rmtree(runs)
        return {
            (test.first.model, test.second.model): test
            for test in read_paired_tests(output)
        }

    assert set(test_of("ctrn", "qrnn")) == {("ctrn", "qrnn")}
    tests = test_of("lstm")
    assert set(tests) == {
        ("ctrn", "qrnn"),
        ("ctrn", "lstm"),
        ("qrnn", "lstm"),
    }
    assert tests["ctrn", "lstm"].difference == pytest.approx(0.2)
    kept = read_question_values(tmp_path / "question_values.jsonl")
    assert [v.values for v in kept.values()] == [[1, 0.5], [0.5, 0.5], [1, 0.1]]
    assert len({v.questions for v in kept.values()}) == 1
    ranking = read_rankings(tmp_path / "rankings.jsonl")[0]
    assert ranking.run_sha256 == [every[0]["run_sha256"]]
    # Nobody knows the values of this seed of qrnn: without it, tests are of
    # runs that are no longer all.
    every.append(record(model="qrnn", seed=2, metrics={"MAP": 0.75}))
    tests = test_of("ctrn", seed=2)
    assert set(tests) == {("ctrn", "lstm")}
    assert tests["ctrn", "lstm"].first.seeds == [1, 2]


def test_history_is_of_the_records_without_a_folder():
    runs = [
        record(seed=seed, run_sha256="a", metrics={"MAP": 0.5}, history=kept)
        for seed, kept in ((1, {"loss": [2, 1], "MAP": [0, 1]}), (2, {}))
    ]
    known = Known()
    values = QuestionValues.of("a", "MAP", {"q": 0.5})
    known.kept[values.identity] = values
    (group,) = group_runs(runs[:1])
    assert ranking_of(group, known).history == {
        "loss": [[2, 1]],
        "MAP": [[0, 1]],
    }
    (group,) = group_runs(runs)
    assert ranking_of(group, known).history == {}


def test_bad_inputs_are_messages(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    output = tmp_path / "paired_tests.jsonl"
    arguments = ["--output", str(output)]
    assert main([str(tmp_path / "empty"), *arguments]) == 2
    assert "expected folders of finished runs" in capsys.readouterr().err
    write_run(tmp_path / "one", {"a": [1, 0]})
    assert main([str(tmp_path / "one"), *arguments]) == 2
    assert "expected runs of two models" in capsys.readouterr().err
    assert not output.exists()


def test_malformed_paired_tests_are_named(tmp_path):
    path = tmp_path / "paired_tests.jsonl"
    path.write_text('{"paper": "ctrn"}\n')
    with pytest.raises(RecordError, match=r"paired_tests\.jsonl:1: ex"):
        read_paired_tests(path)
    assert read_paired_tests(tmp_path / "none.jsonl") == []
