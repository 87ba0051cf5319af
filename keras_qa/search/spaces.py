"""Scores that are monotone functions of an inner product.

A space describes how a model compares the vectors of a question and an answer.
It gives each answer a key, a float64 number that orders answers as the score
does, and maps ("lifts") both vectors to float32 vectors whose inner product is
the key, so that any inner-product search finds the best answers.

**Cosine.** The key is the cosine; lifted vectors are unit vectors.

**Poincaré ball.** Lifted to the hyperboloid, a point y of the ball is

    Y = ((1 + |y|²) a, 2 a y)    with a = 1 / (1 - |y|²)

and the distance of x and y is arcosh(-<X, Y>), with the Lorentz product
<X, Y> = -X₀Y₀ + X₁Y₁ + ..., an inner product after the sign of X₀ is changed.
Since -<X, Y> = 1 + 2 |x - y|² / ((1 - |x|²)(1 - |y|²)), and a positive factor
that depends only on the question does not change the order, the key is

    -a |x - y|² = -a |y|² + 2 a <x, y> - a |x|²
                = <(-1, 2x, -|x|²), (a |y|², a y, a)>

It has one column more than the hyperboloid, and also holds for a layer that
bounds 1 - |y|² below, as `PoincareDistance` does, where a |y|² and a - 1
differ. As |x - y| does not change when both points are moved, the mean of the
answers is subtracted from x and y first. This removes most of the cancellation:
near the boundary all terms are of the order of a, however small their sum is.

**Hyperboloid.** Points that are given by tangent vectors at the origin, with
radii r = √c |x| and s = √c |y| and directions u and v, need no coordinates of
the ball. `HyperbolicDistance` multiplies sinh²(D / 2) by exp(2β (s - r)), so
the key is

    -exp(2βs) sinh²(D / 2) = -exp(2βs) (cosh D - 1) / 2
        = <(1, -cosh r, u sinh r) / 2, exp(2βs) (1, cosh s, v sinh s)>

with cosh D = cosh r cosh s - sinh r sinh s <u, v>.

**Rounding.** With u = 2⁻²⁴, n columns and any order of summation, the float32
inner product of a question q and an answer v is within (n + 2) u |q| |v| of the
key, to first order. A last column, |v| in the lifted answer and (n + 8) u |q|
in the lifted question, therefore makes the computed product an upper bound of
the key; of the 8, three are needed to first order, and five cover the higher
orders below about 9,000 columns. With this bound, `keras_qa.search.exact` can
prove that no answer was missed. Without it, float32 confuses answers whose
|x - y|² differ by less than about 1e-6 |x - mean|²: close to the boundary,
where a is 45,000 at HyperQA's default, by 0.05 in the key.

The rounding of the encoder remains: keys are those of its float32 vectors. For
float32 points at a distance of 1e-5 from the boundary, 1 - |y|² is uncertain by
1 %, unless it is bounded below, as in HyperQA.

Source: HyperQA, section 3.4, eq. 4; Nickel and Kiela, "Learning Continuous
Hierarchies in the Lorentz Model of Hyperbolic Geometry", 2018, section 3.
"""

from abc import ABC
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any
from typing import TypedDict

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.checks import typed
from keras_qa.files.text_files import shorten

UNIT_ROUNDOFF = 2.0**-24
# The lower bound of norms in `CosineSimilarity`.
SMALLEST_NORM = 1e-6
# The largest radius in `keras_qa.hyperboloid`.
MAX_RADIUS = 30.0
# A factor that covers the rounding of the upper bound's own column.
UPWARDS = 1 + 1e-5


class Space(ABC):
    """A comparison of the vectors of questions and answers.

    Args:
        weight: factor of the similarity, or of the distance, in the score.
        bias: constant term of the score.
    """

    name: str

    def __init__(self, weight: float, bias: float = 0.0):
        self.weight = float(weight)
        self.bias = float(bias)

    @abstractmethod
    def keys(self, question: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """The keys of answers, which order them as the score does.

        Args:
            question: the question's vector, float `(dim,)`.
            answers: the answers' vectors, float `(n, dim)`.

        Returns:
            float64 `(n,)`, higher is better.
        """

    @abstractmethod
    def scores(self, question: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The scores that belong to the keys of a question, float64 `(n,)`."""

    @abstractmethod
    def _lifted_answers(self, vectors: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def _lifted_question(self, vector: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """The configuration for `space_from_config`, of JSON values."""

    def longest(self, vectors: np.ndarray) -> float:
        """The largest norm of a lifted answer, of vectors `(n, dim)`."""
        lifted = self._lifted_answers(np.asarray(vectors, np.float64))
        return float(np.linalg.norm(lifted, axis=1).max(initial=0.0))

    def answer_places(self, vectors: np.ndarray, radius: float) -> np.ndarray:
        """Points of a sphere; those nearest to a question are the best answers.

        An additional column gives all lifted answers the norm `radius`. Among
        vectors of equal norm, those with the largest inner product have the
        smallest Euclidean distance, which a graph searches by (Bachrach et
        al., "Speeding Up the Xbox Recommender System Using a Euclidean
        Transformation for Inner-Product Spaces", 2014).

        Args:
            vectors: the answers' vectors, float `(n, dim)`.
            radius: the largest `longest` of all answers.

        Returns:
            float32 `(n, columns)`.
        """
        lifted = self._lifted_answers(np.asarray(vectors, np.float64))
        missing = radius**2 - np.einsum("nd,nd->n", lifted, lifted)
        column = np.sqrt(np.maximum(missing, 0))[:, None]
        return np.hstack([lifted, column]).astype(np.float32)

    def question_place(self, vector: np.ndarray, radius: float) -> np.ndarray:
        """The point of a question on the sphere of `answer_places`.

        Args:
            vector: the question's vector, float `(dim,)`.
            radius: the largest `longest` of all answers.

        Returns:
            float32 `(columns,)`.
        """
        lifted = self._lifted_question(np.asarray(vector, np.float64))
        norm = max(float(np.linalg.norm(lifted)), SMALLEST_NORM)
        return np.append(lifted * (radius / norm), 0).astype(np.float32)

    def lift_answers(self, vectors: np.ndarray) -> np.ndarray:
        """The vectors of answers that an exact search compares.

        Args:
            vectors: the answers' vectors, float `(n, dim)`.

        Returns:
            float32 `(n, columns)`.
        """
        lifted = self._lifted_answers(np.asarray(vectors, np.float64))
        norms = np.linalg.norm(lifted, axis=1, keepdims=True)
        return np.hstack([lifted, norms * UPWARDS]).astype(np.float32)

    def lift_question(self, vector: np.ndarray) -> np.ndarray:
        """The vector of a question that an exact search compares with answers.

        Args:
            vector: the question's vector, float `(dim,)`.

        Returns:
            float32 `(columns,)`, whose inner product with a lifted answer, in
            float32, is at least the answer's key, and exceeds it by at most
            about 1e-7 (columns + 8) times the product of their norms.
        """
        lifted = self._lifted_question(np.asarray(vector, np.float64))
        slack = (len(lifted) + 8) * UNIT_ROUNDOFF * np.linalg.norm(lifted)
        return np.append(lifted, slack * UPWARDS).astype(np.float32)


class CosineSpace(Space):
    """Orders answers by the cosine, as `CosineSimilarity` computes it.

    The score is `weight` cos + `bias`.
    """

    name = "cosine"

    def keys(self, question: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """The cosines, float64 `(n,)`."""
        # A matrix product may round equal rows differently.
        return np.einsum("nd,d->n", _units(answers), _units(question))

    def scores(self, question: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The scores that belong to cosines, float64 `(n,)`."""
        return self.weight * keys + self.bias

    def config(self) -> dict[str, Any]:
        """The name of the space and the constructor's arguments."""
        return {"space": self.name, "weight": self.weight, "bias": self.bias}

    def _lifted_answers(self, vectors: np.ndarray) -> np.ndarray:
        return _units(vectors)

    def _lifted_question(self, vector: np.ndarray) -> np.ndarray:
        return _units(vector)


class PoincareSpace(Space):
    """Orders answers by their distance in the Poincaré ball, nearest first.

    The score is `weight` d + `bias`, with the d of `PoincareDistance`.

    Args:
        weight: factor of the distance, negative.
        bias: constant term of the score.
        epsilon: lower bound of 1 - |x|² and of 1 - |y|².
        center: a vector near the answers, such as their mean, `(dim,)`; None
            is the origin. It changes no key.
    """

    name = "poincare"

    def __init__(
        self,
        weight: float,
        bias: float = 0.0,
        *,
        epsilon: float,
        center: np.ndarray | None = None,
    ):
        super().__init__(weight, bias)
        self.epsilon = float(epsilon)
        self.center = np.asarray(0.0 if center is None else center, np.float64)

    def keys(self, question: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """-|x - y|² / (1 - |y|²), float64 `(n,)`."""
        answers = np.asarray(answers, np.float64)
        apart = answers - np.asarray(question, np.float64)
        return -np.einsum("nd,nd->n", apart, apart) / self._gaps(answers)

    def scores(self, question: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The scores that belong to the keys of a question, float64 `(n,)`."""
        gap = self._gaps(np.asarray(question, np.float64)[None])[0]
        distances = 2 * np.arcsinh(np.sqrt(-keys / gap))
        return self.weight * distances + self.bias

    def config(self) -> dict[str, Any]:
        """The name of the space and the constructor's arguments."""
        return {
            "space": self.name,
            "weight": self.weight,
            "bias": self.bias,
            "epsilon": self.epsilon,
            "center": self.center.tolist(),
        }

    def _gaps(self, vectors: np.ndarray) -> np.ndarray:
        norms = np.linalg.norm(vectors, axis=1)
        return np.maximum((1 - norms) * (1 + norms), self.epsilon)

    def _lifted_answers(self, vectors: np.ndarray) -> np.ndarray:
        moved = vectors - self.center
        squares = np.einsum("nd,nd->n", moved, moved)[:, None]
        lifted = np.hstack([squares, moved, np.ones_like(squares)])
        return lifted / self._gaps(vectors)[:, None]

    def _lifted_question(self, vector: np.ndarray) -> np.ndarray:
        moved = vector - self.center
        return np.concatenate([[-1.0], 2 * moved, [-(moved @ moved)]])


class HyperboloidSpace(Space):
    """Orders answers by the distance of `HyperbolicDistance`, nearest first.

    The score is `weight` d + `bias`. Vectors are tangent vectors at the origin.

    Args:
        weight: factor of the distance, negative.
        bias: constant term of the score.
        curvature: the layer's curvature c.
        asymmetry: the layer's asymmetry β.
    """

    name = "hyperboloid"

    def __init__(
        self,
        weight: float,
        bias: float = 0.0,
        *,
        curvature: float = 1.0,
        asymmetry: float = 0.0,
    ):
        super().__init__(weight, bias)
        self.curvature = float(curvature)
        self.asymmetry = float(asymmetry)

    def keys(self, question: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """-exp(2βs) sinh²(D / 2), float64 `(n,)`."""
        u, r = self._polar(question)
        v, s = self._polar(answers)
        chord = v - u
        across = np.einsum("nd,nd->n", chord, chord)[:, None] / 4
        half = np.sinh((r - s) / 2) ** 2 + np.sinh(r) * np.sinh(s) * across
        return -(np.exp(2 * self.asymmetry * s) * half)[:, 0]

    def scores(self, question: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The scores that belong to the keys of a question, float64 `(n,)`."""
        _, r = self._polar(question)
        half = np.sqrt(-keys) * np.exp(-self.asymmetry * r)
        distances = 2 * np.arcsinh(half) / np.sqrt(self.curvature)
        return self.weight * distances + self.bias

    def config(self) -> dict[str, Any]:
        """The name of the space and the constructor's arguments."""
        return {
            "space": self.name,
            "weight": self.weight,
            "bias": self.bias,
            "curvature": self.curvature,
            "asymmetry": self.asymmetry,
        }

    def _polar(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Directions `(..., dim)` and radii `(..., 1)`."""
        vectors = np.sqrt(self.curvature) * np.asarray(vectors, np.float64)
        norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
        directions = vectors / np.where(norms > 0, norms, 1)
        return directions, np.minimum(norms, MAX_RADIUS)

    def _lifted_answers(self, vectors: np.ndarray) -> np.ndarray:
        v, s = self._polar(vectors)
        lifted = np.hstack([np.ones_like(s), np.cosh(s), np.sinh(s) * v])
        return np.exp(2 * self.asymmetry * s) * lifted

    def _lifted_question(self, vector: np.ndarray) -> np.ndarray:
        u, r = self._polar(vector)
        return np.concatenate([[1.0], -np.cosh(r), np.sinh(r) * u]) / 2


def space_from_config(config: Mapping[str, Any]) -> Space:
    """The space with a configuration that `Space.config` returned.

    Raises:
        SearchError: if `config` does not describe a space.
    """
    spaces = {space.name: space for space in SPACES}
    arguments = dict(config)
    try:
        typed(arguments, _Config, "space", ValueError)
        return spaces[arguments.pop("space")](**arguments)
    except (KeyError, TypeError, ValueError) as error:
        raise SearchError(
            f"Expected the space of an index, one of {sorted(spaces)}. "
            f"Received: {type(error).__name__}: {shorten(str(error))}"
        ) from error


def check_vectors(vectors: np.ndarray) -> np.ndarray:
    """Returns vectors `(n, dim)` unchanged, if they are finite.

    Raises:
        SearchError: if a number is NaN or infinite.
    """
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise SearchError(
            "The model must give finite vectors. Received: "
            f"{int((~finite).sum())} of {len(vectors)} with NaN or infinity"
        )
    return vectors


SPACES: tuple[type[Space], ...] = (
    CosineSpace,
    PoincareSpace,
    HyperboloidSpace,
)


class _Config(TypedDict, total=False):
    space: str
    weight: float
    bias: float
    epsilon: float
    center: list[float] | float | None
    curvature: float
    asymmetry: float


def _units(vectors: np.ndarray) -> np.ndarray:
    vectors = np.asarray(vectors, np.float64)
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(norms, SMALLEST_NORM)
