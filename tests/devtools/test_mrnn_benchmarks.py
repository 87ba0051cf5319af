"""The benchmarks of MRNN: their summaries, and tiny runs."""

import json

import pytest

from devtools.benchmarks import document_distances
from devtools.benchmarks import ngram_blocks


def test_memory_in_maps_and_ratios_by_hand():
    settings = ngram_blocks.Settings(texts=2, words=5, filters=10, blocks=2)
    measured = {
        "summed": {
            "1": {"bytes": 400, "seconds": [1.0, 1.0, 9.0]},
            "2": {"bytes": 1200, "seconds": [2.0, 3.0, 4.0]},
        },
        "concatenated": {
            "1": {"bytes": 400, "seconds": [1.0, 1.0, 1.0]},
            "2": {"bytes": 1600, "seconds": [2.0, 2.0, 2.0]},
        },
    }
    summary = ngram_blocks.summarise(settings, measured)
    assert summary["bytes_of_a_map"] == 400
    assert summary["maps"]["summed"] == {"1": 1, "2": 3}
    assert summary["seconds"]["summed"] == {"1": 1, "2": 3}
    memory, seconds = summary["bounds"].values()
    assert memory["ratio"] == 0.75 and memory["reached"]
    assert seconds["ratio"] == 1.5 and not seconds["reached"]


def test_both_ways_train_alike():
    settings = ngram_blocks.Settings(
        texts=3, words=4, embedding_dim=2, filters=3, blocks=3, rounds=1
    )
    found = [ngram_blocks.measure(settings, w, 3) for w in ngram_blocks.WAYS]
    assert found[0]["loss"] == pytest.approx(found[1]["loss"], rel=1e-5)


def test_distances_of_documents(tmp_path, capsys):
    output = tmp_path / "result.json"
    options = ["--smoke", "--json", str(output)]
    assert document_distances.main(options) == 0
    assert "maps once against pair by pair" in capsys.readouterr().out
    result = json.loads(output.read_text())
    assert result["difference"] < 1e-4
    assert result["summary"]["bytes_of_maps"] == 4 * 5 * 6 * 4


@pytest.mark.large
def test_memory_of_blocks(tmp_path, capsys):
    output = tmp_path / "result.json"
    assert ngram_blocks.main(["--smoke", "--json", str(output)]) == 0
    assert "Bounds at N = 2" in capsys.readouterr().out
    assert set(json.loads(output.read_text())["measured"]["summed"]) == {
        "1",
        "2",
    }
