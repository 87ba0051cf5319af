import numpy as np
import pytest

from keras_qa.embeddings import PrincipalComponents


def test_a_line_in_the_plane():
    """Points on y = 2 x + 1: one direction, (1, 2) / sqrt(5), says it all."""
    points = np.array([[0, 1], [1, 3], [2, 5], [5, 11]], np.float32)
    found = PrincipalComponents.fit(points, 1)
    np.testing.assert_allclose(found.mean, [2, 5])
    np.testing.assert_allclose(found.directions[:, 0], [0.4472136, 0.8944272])
    assert found.explained == pytest.approx(1)
    # Distances from the mean along the line.
    wanted = np.sqrt(5) * np.array([[-2], [-1], [0], [3]])
    np.testing.assert_allclose(found.apply(points), wanted, rtol=1e-6)
    assert found.apply(points[None]).shape == (1, 4, 1)
    assert found.apply(points).dtype == np.float32


def test_against_the_singular_values(monkeypatch):
    monkeypatch.setattr("keras_qa.embeddings.components.CHUNK", 7)
    rng = np.random.default_rng(0)
    vectors = rng.normal(3, 1, (40, 6)) * [1, 5, 2, 0.1, 3, 1]
    found = PrincipalComponents.fit(vectors, 4)
    centred = vectors - vectors.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    wanted = left[:, :4] * values[:4]
    signs = np.sign((wanted * found.apply(vectors)).sum(axis=0))
    np.testing.assert_allclose(found.apply(vectors), wanted * signs, rtol=1e-4)
    share = (values[:4] ** 2).sum() / (values**2).sum()
    assert found.explained == pytest.approx(share)


def test_fewer_vectors_than_components_have_finite_coordinates():
    found = PrincipalComponents.fit(np.ones((1, 3), np.float32), 3)
    np.testing.assert_allclose(found.apply(np.ones((1, 3))), 0, atol=1e-7)
    assert found.explained == 0


@pytest.mark.parametrize("dim", [0, 4])
def test_errors(dim):
    with pytest.raises(ValueError, match=rf"between 1 and 3.*dim={dim}"):
        PrincipalComponents.fit(np.ones((5, 3)), dim)
    with pytest.raises(ValueError, match="must not be empty"):
        PrincipalComponents.fit(np.ones((0, 3)), 1)
