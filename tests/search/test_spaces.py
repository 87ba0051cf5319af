"""Inner products order answers as the scores do, in float32, too."""

import numpy as np
import pytest

from keras_qa import hyperboloid
from keras_qa.errors import SearchError
from keras_qa.search import spaces
from keras_qa.search.exact import approximate_search
from keras_qa.search.exact import exact_search
from keras_qa.search.spaces import CosineSpace
from keras_qa.search.spaces import HyperboloidSpace
from keras_qa.search.spaces import PoincareSpace
from keras_qa.search.spaces import space_from_config

EPSILON = 1e-5 * (2 - 1e-5) + 2e-6


def directions(count, dim, seed):
    x = np.random.default_rng(seed).normal(size=(count, dim)) + 0.5
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def at_radii(radii, dim=12, seed=0):
    points = directions(len(radii), dim, seed) * np.asarray(radii)[:, None]
    return points.astype(np.float32)


def distances(question, answers, epsilon):
    """Equation 4 of HyperQA in float64."""
    q, a = np.float64(question), np.float64(answers)
    gaps = [
        np.maximum(1 - np.sum(x**2, axis=-1), epsilon) for x in (q[None], a)
    ]
    fraction = np.sum((q - a) ** 2, axis=-1) / (gaps[0] * gaps[1])
    return np.arccosh(1 + 2 * fraction)


def cloud(where, n=3000):
    rng = np.random.default_rng(1)
    radii = {
        "inside": rng.uniform(0, 0.9, n),
        "clipped": np.full(n, 1 - 1e-5),
        "near the boundary": 1 - 10 ** rng.uniform(-5, -3, n),
        "everywhere": 1 - 10 ** rng.uniform(-5, 0, n),
    }[where]
    return at_radii(radii)


PLACES = ["inside", "clipped", "near the boundary", "everywhere"]


def test_keys_and_scores_of_a_hand_checked_pair():
    space = PoincareSpace(-2.0, 1.0, epsilon=1e-6)
    question, answers = np.array([0.5, 0.0]), np.array([[0.0, 0.5], [0.5, 0.0]])
    keys = space.keys(question, answers)
    # |x - y|² = 1/2, 1 - |y|² = 3/4; arcosh(1 + 2 (1/2) / (9/16)).
    assert keys == pytest.approx([-2 / 3, 0])
    expected = 1 - 2 * np.arccosh(1 + 16 / 9)
    assert space.scores(question, keys) == pytest.approx([expected, 1])


@pytest.mark.parametrize("center", [None, np.linspace(0.1, 0.4, 12)])
def test_lifted_products_are_lorentz_products(center):
    # -<X, Y> = X0 Y0 - X1 Y1 - ... of the hyperboloid; key = its affine image.
    answers, question = at_radii(np.linspace(0, 0.99, 50)), at_radii([0.7])[0]
    q, a = np.float64(question), np.float64(answers)
    gap, gaps = 1 - q @ q, 1 - np.sum(a**2, axis=1)
    lorentz = (1 + q @ q) * (1 + np.sum(a**2, axis=1)) - 4 * a @ q
    lorentz /= gap * gaps
    assert np.arccosh(lorentz) == pytest.approx(distances(q, a, 1e-9))
    space = PoincareSpace(-1.0, epsilon=1e-9, center=center)
    assert space.keys(q, a) == pytest.approx((1 - lorentz) / 2 * gap)
    products = space.lift_answers(a) @ space.lift_question(q)
    assert products == pytest.approx(space.keys(q, a), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("where", PLACES)
def test_products_bound_keys_from_above_and_closely(where):
    answers = cloud(where)
    mean = answers.mean(0, dtype=np.float64)
    space = PoincareSpace(-1.0, epsilon=EPSILON, center=mean)
    lifted = space.lift_answers(answers)
    for question in cloud(where, 20)[:20]:
        asked = space.lift_question(question)
        norms = np.linalg.norm(lifted, axis=1) * np.linalg.norm(asked)
        excess = lifted @ asked - space.keys(question, answers)
        assert (excess >= 0).all()
        assert (excess <= 4e-6 * norms).all()


def test_the_bound_holds_however_unluckily_sums_are_rounded():
    """One after the other, each small product is lost beside the first."""
    columns = 2000
    vector = np.full(columns, np.sqrt(0.49 * 2.0**-24))
    vector[0] = np.sqrt(1 - np.sum(vector[1:] ** 2))
    space = CosineSpace(1.0)
    lifted, asked = space.lift_answers(vector[None])[0], vector
    asked = space.lift_question(asked)
    (key,) = space.keys(vector, vector[None])
    sums = np.add.accumulate(lifted * asked, dtype=np.float32)
    assert key - sums[-2] > 0.4 * columns * 2.0**-24
    assert sums[-1] >= key


@pytest.mark.parametrize("where", PLACES)
def test_flat_search_gives_the_order_of_all_distances(where):
    faiss = pytest.importorskip("faiss")
    answers = cloud(where)
    # Points that float32 products near the boundary cannot tell apart.
    rng = np.random.default_rng(2)
    close = answers[:1] + 1e-5 * rng.normal(size=(200, answers.shape[1]))
    answers = np.concatenate([answers, close.astype(np.float32), answers[:5]])
    space = PoincareSpace(
        -1.0, epsilon=EPSILON, center=answers.mean(0, dtype=np.float64)
    )
    index = faiss.IndexFlatIP(answers.shape[1] + 3)
    index.add(space.lift_answers(answers))
    for question in [answers[0], *cloud(where, 10)[:10] * 0.999]:
        rows, keys = exact_search(
            index, space, answers.__getitem__, question, 50
        )
        found = distances(question, answers, EPSILON)
        order = np.argsort(space.keys(question, answers) * -1, kind="stable")
        np.testing.assert_array_equal(rows, order[:50])
        np.testing.assert_allclose(found[rows], np.sort(found)[:50], rtol=1e-6)
        np.testing.assert_allclose(
            -space.scores(question, keys), found[rows], rtol=1e-6, atol=1e-6
        )


HYPERBOLOIDS = [
    (1.0, {}),
    (4.0, {"curvature": 0.5}),
    (12.0, {}),
    (4.0, {"curvature": 2.0, "asymmetry": 0.3}),
    (4.0, {"asymmetry": -0.4}),
]


def tangents(radius, n, seed=0):
    rng = np.random.default_rng(seed)
    return at_radii(radius * rng.uniform(0.1, 1, n), seed=seed)


@pytest.mark.parametrize(("radius", "arguments"), HYPERBOLOIDS)
def test_products_bound_the_keys_of_tangent_vectors(radius, arguments):
    space = HyperboloidSpace(-1.5, 0.5, **arguments)
    answers, questions = tangents(radius, 500), tangents(radius, 5, 1)
    lifted = space.lift_answers(answers)
    for question in questions:
        keys = space.keys(question, answers)
        asked = space.lift_question(question)
        norms = np.linalg.norm(lifted, axis=1) * np.linalg.norm(asked)
        excess = np.float64(lifted) @ np.float64(asked) - keys
        assert (excess >= 0).all()
        assert (excess <= 4e-6 * norms).all()
        # The score of the layer, in float32.
        distances = hyperboloid.distance(question, answers, **arguments)
        np.testing.assert_allclose(
            space.scores(question, keys), 0.5 - 1.5 * distances, 1e-5, 1e-6
        )


@pytest.mark.parametrize(("radius", "arguments"), HYPERBOLOIDS)
def test_flat_search_of_tangent_vectors(radius, arguments):
    faiss = pytest.importorskip("faiss")
    space = HyperboloidSpace(-1.0, **arguments)
    answers = tangents(radius, 2000)
    answers = np.concatenate([answers, answers[:5], 0 * answers[:2]])
    index = faiss.IndexFlatIP(answers.shape[1] + 3)
    index.add(space.lift_answers(answers))
    for question in [answers[0], *tangents(radius, 5, 1)]:
        rows, keys = exact_search(
            index, space, answers.__getitem__, question, 50
        )
        every = space.keys(question, answers)
        order = np.argsort(-every, kind="stable")[:50]
        np.testing.assert_array_equal(rows, order)
        scores = space.scores(question, keys)
        assert (np.diff(scores) <= 0).all()
        best = np.sort(space.scores(question, every))[::-1][:50]
        np.testing.assert_allclose(scores, best)


def test_radii_are_bounded_as_in_the_layer():
    assert spaces.MAX_RADIUS == hyperboloid.MAX_RADIUS
    space = HyperboloidSpace(-1.0)
    question, answers = np.array([50.0, 0]), np.array([[0, 50.0], [0, 30.0]])
    assert len(set(space.keys(question, answers))) == 1


def test_what_float32_alone_would_confuse():
    """The second pass is needed: the first bounds do not decide."""
    faiss = pytest.importorskip("faiss")
    base = at_radii([1 - 1e-5])
    noise = np.random.default_rng(3).normal(size=(500, base.shape[1]))
    answers = (base + 1e-6 * noise).astype(np.float32)
    space = PoincareSpace(-1.0, epsilon=EPSILON)
    index = faiss.IndexFlatIP(answers.shape[1] + 3)
    index.add(space.lift_answers(answers))
    expected = np.argsort(-space.keys(base[0], answers), kind="stable")[:10]
    products = space.lift_answers(answers) @ space.lift_question(base[0])
    assert list(np.argsort(-products)[:10]) != list(expected)
    rows, _ = exact_search(index, space, answers.__getitem__, base[0], 10)
    np.testing.assert_array_equal(rows, expected)
    rows, _ = exact_search(index, space, answers.__getitem__, base[0], 900)
    assert sorted(rows) == list(range(500))


class TightBounds:
    """Gives keys themselves as bounds, of equal ones the last first."""

    def __init__(self, keys):
        self.keys, self.ntotal = np.float32(keys), len(keys)

    def search(self, lifted, count):
        rows = np.argsort(-self.keys, kind="stable")[::-1]
        rows = rows[np.argsort(-self.keys[rows], kind="stable")][:count]
        return self.keys[rows][None], rows[None]

    def range_search(self, lifted, threshold):
        (rows,) = np.nonzero(self.keys > threshold)
        return None, None, rows


def test_answers_as_good_as_the_last_are_not_overlooked():
    """The first pass is given the last of equals, the result has the first."""
    answers = np.array([[1, 0]] * 2 + [[0, 1]] * 100 + [[-1, 0]], np.float32)
    space, question = CosineSpace(1.0), np.array([1.0, 0.0])
    index = TightBounds(space.keys(question, answers))
    vectors = answers.__getitem__
    rows, _ = exact_search(index, space, vectors, question, 5)
    assert rows.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dim", [5, 37, 300])
def test_equal_answers_have_equal_keys_wherever_they_stand(dim):
    question, one = np.random.default_rng(4).normal(size=(2, dim))
    answers = np.float32(np.tile(one / 30, (1003, 1)))
    for space in (
        CosineSpace(1.0),
        PoincareSpace(-1.0, epsilon=1e-5),
        HyperboloidSpace(-1.0, asymmetry=0.1),
    ):
        assert len(set(space.keys(question, answers))) == 1


def test_cosines_with_a_vector_of_zeros():
    faiss = pytest.importorskip("faiss")
    space = CosineSpace(2.0, 1.0)
    answers = np.array([[3, 4], [0, 0], [-1, 0], [8, 6]], np.float32)
    index = faiss.IndexFlatIP(3)
    index.add(space.lift_answers(answers))
    question = np.array([5, 0], np.float32)
    rows, keys = exact_search(index, space, answers.__getitem__, question, 9)
    assert rows.tolist() == [3, 0, 1, 2]
    assert keys == pytest.approx([0.8, 0.6, 0, -1])
    assert space.scores(question, keys) == pytest.approx([2.6, 2.2, 1, -1])
    nothing = np.zeros(2, np.float32)
    rows, keys = exact_search(index, space, answers.__getitem__, nothing, 2)
    assert rows.tolist() == [0, 1] and not keys.any()


@pytest.mark.parametrize("where", PLACES)
def test_places_are_on_a_sphere_and_nearest_where_keys_are_highest(where):
    answers, questions = cloud(where, 400), cloud(where, 20)[:20]
    mean = answers.mean(0, dtype=np.float64)
    space = PoincareSpace(-1.0, epsilon=EPSILON, center=mean)
    radius = space.longest(answers)
    places = space.answer_places(answers, radius).astype(np.float64)
    assert np.linalg.norm(places, axis=1) == pytest.approx(radius, rel=1e-3)
    for question in questions:
        place = space.question_place(question, radius).astype(np.float64)
        assert np.linalg.norm(place) == pytest.approx(radius, rel=1e-6)
        nearest = np.argsort(np.linalg.norm(places - place, axis=1))[:30]
        best = np.argsort(-space.keys(question, answers))[:10]
        assert set(best) <= set(nearest)


@pytest.mark.parametrize(
    ("where", "recall"), [("clipped", 0.98), ("everywhere", 0.85)]
)
def test_a_graph_finds_most(where, recall):
    faiss = pytest.importorskip("faiss")
    answers = cloud(where, 2000)
    space = PoincareSpace(
        -1.0, epsilon=EPSILON, center=answers.mean(0, dtype=np.float64)
    )
    radius = space.longest(answers)
    index = faiss.IndexHNSWFlat(answers.shape[1] + 3, 32)
    index.hnsw.efSearch = 128
    index.add(space.answer_places(answers, radius))
    hits = 0
    for question in cloud(where, 40)[:40]:
        best = np.argsort(-space.keys(question, answers))[:10]
        rows, keys = approximate_search(
            index, space, answers.__getitem__, question, 10, 100, radius
        )
        assert (np.diff(keys) <= 0).all()
        hits += len(set(rows) & set(best))
    assert hits >= recall * 400


def test_spaces_come_back_from_their_configuration():
    space = PoincareSpace(-1.5, 0.25, epsilon=1e-4, center=np.arange(3) / 10)
    again = space_from_config(space.config())
    vectors = at_radii([0.3, 0.6], 3)
    np.testing.assert_array_equal(
        again.lift_answers(vectors), space.lift_answers(vectors)
    )
    space = HyperboloidSpace(-1.5, 0.25, curvature=0.5, asymmetry=-0.1)
    assert space_from_config(space.config()).config() == space.config()
    assert space_from_config(CosineSpace(3.0).config()).weight == 3
    for bad in ({}, {"space": "flat"}, {"space": "cosine", "x": 1}):
        with pytest.raises(SearchError, match="Expected the space of an index"):
            space_from_config(bad)
