import json

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import keras

from keras_qa.text.vocabulary import Vocabulary
from reproductions.hyperqa import experiment as hyperqa
from reproductions.hyperqa import figures as hyperqa_figures
from reproductions.hyperqa.figures import draw_figure_3
from reproductions.hyperqa.figures import encode_run
from reproductions.hyperqa.figures import farther_out
from reproductions.records.seed_groups import group_runs
from support.script_runs import leave_out_saved_models

SMOKE = ["--smoke", "--set=skipgram_dim=16", "--set=projection_dim=8"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        leave_out_saved_models(patch)
        for model in ("hyperqa", "cosineqa"):
            output = f"--output-dir={folder / model}"
            assert hyperqa.main([*SMOKE, f"--model={model}", output]) == 0
    return folder


def record(model, projection_dim, seed=1, dataset="wikiqa", **fields):
    return {
        "paper": "hyperqa",
        "model": model,
        "dataset": dataset,
        "split": "dev",
        "seed": seed,
        "recipe": "paper",
        "vectors": ["a.bin", "skipgram"],
        "questions_scored": 126,
        "metrics": {"MAP": 0.6 + projection_dim / 10_000 + seed / 100},
        "settings": {"projection_dim": projection_dim, "margin": 5.0},
        **fields,
    }


def test_vectors_are_the_unconstrained_sums_of_projected_words(runs):
    run = encode_run(runs / "hyperqa", None, limit=6)
    model = keras.models.load_model(runs / "hyperqa" / "model.keras")
    vocabulary = Vocabulary.load(runs / "hyperqa" / "vocabulary.txt")
    weights = model.get_weights()
    (embeddings,) = [w for w in weights if len(w) == len(vocabulary)]
    (kernel,) = [w for w in weights if w.shape == (16, 8)]
    (bias,) = [w for w in weights if w.shape == (8,)]
    projected = np.maximum(embeddings @ kernel + bias, 0)
    question = run.questions[0]
    expected = projected[vocabulary.encode(run.tokens[question.text])].sum(0)
    np.testing.assert_allclose(run.question_vectors[0], expected, rtol=1e-4)
    np.testing.assert_allclose(
        run.word_norms, np.linalg.norm(projected[2:], axis=1), rtol=1e-4
    )
    assert run.question_vectors.shape == (6, 8)
    assert run.answer_vectors.shape == (len(run.answers), 8)


def test_draws_everything_for_two_models(runs, tmp_path, capsys):
    recorded = tmp_path / "runs.jsonl"
    recorded.write_text(
        "".join(
            json.dumps(record("hyperqa", size)) + "\n" for size in (100, 200)
        )
    )
    output = tmp_path / "pictures"
    arguments = [f"--run={runs / name}" for name in ("hyperqa", "cosineqa")]
    arguments += [f"--runs={recorded}", f"--output-dir={output}"]
    assert hyperqa_figures.main([*arguments, "--questions=12"]) == 0
    expected = [
        "figure3-wikiqa-dev-paper-a-skipgram.png",
        "figure4-norms.png",
        "figure4-norms.txt",
        "figure5-norms.png",
        "tables.md",
    ]
    assert sorted(path.name for path in output.iterdir()) == expected
    assert capsys.readouterr().out.splitlines()[-5:] == [
        str(output / name) for name in expected
    ]
    norms = (output / "figure4-norms.txt").read_text()
    assert "| HyperQA, sample test, seed 1 | questions | 12 |" in norms
    assert "| CosineQA, sample test, seed 1 | answers |" in norms
    tables = (output / "tables.md").read_text()
    assert "Of HyperQA, sample test, seed 1, recipe `paper`." in tables
    pairs, words = tables.split("## Table 9: words by norm\n")
    assert len(words.splitlines()) == 3 + hyperqa_figures.INTERVALS
    assert pairs.count("| Q |") == pairs.count("| A |") == 3
    assert "**" in pairs


def test_two_runs_of_one_model_are_refused(runs, tmp_path, capsys):
    arguments = [f"--run={runs / 'hyperqa'}"] * 2
    assert hyperqa_figures.main([*arguments, f"--output-dir={tmp_path}"]) == 2
    assert "expected one run of hyperqa to draw" in capsys.readouterr().err


def test_figure_3_takes_runs_that_differ_in_size_alone(monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(
        hyperqa_figures,
        "embedding_size_curve",
        lambda *arguments, title: drawn.append((*arguments, title)),
    )
    records = [
        record(model, size, seed)
        for model in ("hyperqa", "cosineqa")
        for size in (100, 300)
        for seed in (1, 2)
    ]
    # Another margin with a single size, other data, and another model.
    other = {"projection_dim": 200, "margin": 1.0}
    records.append(record("hyperqa", 200, settings=other))
    records += [record("hyperqa", size, dataset="sample") for size in (8, 16)]
    records += [record("bm25", size) for size in (100, 300)]
    draw_figure_3(group_runs(records), tmp_path)
    sample, wikiqa = drawn
    curves, path, metric, title = wikiqa
    assert metric == "MAP"
    assert curves == {
        "hyperqa": {100: [0.62, 0.63], 300: [0.64, 0.65]},
        "cosineqa": {100: [0.62, 0.63], 300: [0.64, 0.65]},
    }
    assert title == (
        "wikiqa dev, recipe paper, a + skipgram\n"
        "126 questions, 2 seeds, 95% intervals over seeds"
    )
    assert path == tmp_path / "figure3-wikiqa-dev-paper-a-skipgram.png"
    assert list(sample[0]) == ["hyperqa"]


def test_shares_of_answers_inside_by_hand():
    questions, answers = np.array([0.0, 2.0, 9.0]), np.array([1.0, 2.0, 3.0, 2])
    # Of equal norms half: (1 + 2 / 2) / 4.
    assert farther_out(questions, answers).tolist() == [0.0, 0.5, 1.0]


def test_no_sizes_is_said(runs, tmp_path, capsys):
    recorded = tmp_path / "runs.jsonl"
    recorded.write_text(json.dumps(record("hyperqa", 100)) + "\n")
    arguments = [f"--runs={recorded}", f"--output-dir={tmp_path / 'out'}"]
    assert hyperqa_figures.main(arguments) == 0
    assert "No Figure 3" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_folder_without_a_run_is_named(tmp_path, capsys):
    with pytest.raises(FileNotFoundError, match=r"has no metrics\.json"):
        encode_run(tmp_path, None)
    with pytest.raises(SystemExit):
        hyperqa_figures.main([f"--output-dir={tmp_path}"])
    assert "give --run or --runs" in capsys.readouterr().err


def test_bad_inputs_are_reported(tmp_path, capsys):
    output = f"--output-dir={tmp_path / 'pictures'}"
    assert hyperqa_figures.main([f"--run={tmp_path}/nope", output]) == 2
    error = capsys.readouterr().err
    assert ": `--run` must be the folder of a finished" in error
    (tmp_path / "runs.jsonl").write_text("{}\n")
    assert hyperqa_figures.main([f"--runs={tmp_path}/runs.jsonl", output]) == 2
    assert "runs.jsonl:1: expected paper" in capsys.readouterr().err
