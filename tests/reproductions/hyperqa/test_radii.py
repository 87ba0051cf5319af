"""Where the texts of a run lie, and what equation 9 multiplies."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from keras_qa.models import HyperQA
from reproductions.hyperqa import experiment as hyperqa
from reproductions.hyperqa import radii

pytestmark = pytest.mark.once


@pytest.mark.parametrize("projection", ["clip", "lorentz", "sphere"])
def test_radii_of_points(projection):
    arguments = {"trainable_curvature": True} if projection != "clip" else {}
    model = HyperQA(
        *(9, 4, 3), projection=projection, radius=1.5, scale=0.1, **arguments
    )
    vectors = np.array([[0.3, 0.0, 0.4], [3.0, 4.0, 0.0]], "float32")
    curvature = 1.0
    if arguments:
        layer = model.head.get_layer("distance")
        layer.curvature_weight.assign(2.0)
        curvature = np.log1p(np.exp(2))
    expected = {
        "clip": [2 * np.arctanh(0.5), np.log((2 - 1e-5) / 1e-5)],
        "lorentz": np.sqrt(curvature) * np.array([0.1, 1.0]),
        "sphere": np.sqrt(curvature) * np.array([1.5, 1.5]),
    }[projection]
    found = radii.radii_of(model, vectors)
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_equation_9_of_a_matrix_of_glorots_size():
    # |W|² is about 300 for 300 by 300 weights.
    assert radii.conversion_factor(np.full((3, 3), 2.0)) == 35**2 / 4
    limit = np.sqrt(6 / 600)
    kernel = np.random.default_rng(0).uniform(-limit, limit, (300, 300))
    assert 21_000 < radii.conversion_factor(kernel) < 24_000


def test_runs_of_one_title_have_their_folder_in_it():
    nothing = np.zeros(0)
    runs = [
        radii.Radii(title, nothing, nothing, 0.0, 1.0, "")
        for title in ("clip", "radius", "clip")
    ]
    found = radii.with_folders(runs, [Path("a"), Path("b"), Path("c")])
    assert [run.title for run in found] == ["clip, a", "radius", "clip, c"]


@pytest.mark.slow
def test_the_command_draws_and_counts(tmp_path, capsys):
    arguments = ["--smoke", "--set=skipgram_dim=16", "--set=projection_dim=8"]
    folders = [tmp_path / name for name in ("clip", "radius")]
    for folder in folders:
        options = [f"--set=projection={folder.name}", f"--output-dir={folder}"]
        assert hyperqa.main([*arguments, *options]) == 0
    given = [text for folder in folders for text in ("--run", str(folder))]
    assert radii.main([*given, "--output-dir", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out/radii.png").stat().st_size > 1000
    rows = (tmp_path / "out/radii.md").read_text("utf-8").splitlines()[2:]
    assert rows[0].startswith("| clip, sample |") and "%" in rows[0]
    assert rows[1].startswith("| radius, sample | 3.") and "| – |" in rows[1]
    capsys.readouterr()
    assert radii.main(["--run", str(tmp_path), "--output-dir", "x"]) == 2
    assert "must be the folder of a finished run" in capsys.readouterr().err
