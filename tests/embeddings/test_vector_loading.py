"""The benchmark of loading, at a size that takes seconds."""

import json

import pytest
from gensim.models import KeyedVectors

from devtools.benchmarks import vector_loading


def test_words_are_distinct_and_grow():
    words = [vector_loading.nth_word(rank) for rank in range(20_000)]
    assert len(set(words)) == 20_000
    lengths = [len(word) for word in words]
    assert lengths == sorted(lengths)


def test_vocabulary_prefers_frequent_words():
    words = vector_loading.draw_vocabulary(1000, 100, seed=0)
    frequent = {vector_loading.nth_word(rank) for rank in range(100)}
    assert len(set(words)) == 100
    assert 40 < len(frequent.intersection(words)) < 100


def test_small_run_writes_its_figures(tmp_path, capsys):
    output = tmp_path / "figures.json"
    arguments = ["--rows", "2000", "--dim", "20", "--folder", str(tmp_path)]
    assert vector_loading.main([*arguments, "--output", str(output)]) == 0
    figures = json.loads(output.read_text())
    assert figures["equal"] is True
    assert figures["vocabulary"] == 150
    assert figures["gensim"]["rows"] == 2000
    assert figures["ours"]["rows"] == 150
    assert figures["speedup"] == pytest.approx(
        figures["gensim"]["seconds"] / figures["ours"]["seconds"]
    )
    printed = capsys.readouterr().out
    assert "(at least 8): not at this size" in printed
    assert "PASS  vectors equal bit for bit" in printed
    assert [p.name for p in tmp_path.iterdir()] == ["figures.json"]


def test_verdicts_at_full_size(capsys):
    figures = {
        "rows": 400_000,
        "dim": 300,
        "vocabulary": 30_000,
        "speedup": 8.0,
        "memory_share": 0.09,
        "equal": True,
    }
    assert vector_loading.report(figures)
    assert capsys.readouterr().out.count("PASS") == 3
    assert not vector_loading.report({**figures, "speedup": 7.9})
    assert "FAIL  7.9 times as fast" in capsys.readouterr().out
    assert not vector_loading.report({**figures, "memory_share": 0.1})
    assert not vector_loading.report({**figures, "equal": False})


def test_numbers_look_like_gloves(tmp_path):
    path = tmp_path / "vectors.txt"
    vector_loading.write_vectors(path, rows=50, dim=30, seed=1)
    vectors = KeyedVectors.load_word2vec_format(path, no_header=True)
    assert vectors.vectors.shape == (50, 30)
    assert abs(vectors.vectors.std() - 0.4) < 0.03
    digits = path.read_text().split()[1].lstrip("-0.").replace(".", "")
    assert len(digits) <= 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dim", "15"], "multiple of 10"),
        (["--rows", "3"], "at most `--rows`"),
    ],
)
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit):
        vector_loading.main(arguments)
    assert message in capsys.readouterr().err
