"""IAM's model of pairs of states, exact by quadrature in float64."""

import numpy as np
from keras import ops


class ExactPairs:
    """p(x, y) = exp(-E(x, y)) / Z over [-1, 1], for one or two units.

    The parameters are one vector: Q by rows, then q_1 and q_2.
    """

    def __init__(self, dim):
        nodes, weights = np.polynomial.legendre.leggauss({1: 60, 2: 16}[dim])
        self.dim = dim
        self.nodes = np.stack(
            np.meshgrid(*[nodes] * dim, indexing="ij"), -1
        ).reshape(-1, dim)
        self.weights = np.prod(
            np.meshgrid(*[weights] * dim, indexing="ij"), 0
        ).ravel()

    def parameters(self, layer):
        return np.concatenate(
            [
                ops.convert_to_numpy(weight).astype(float).ravel()
                for weight in layer.trainable_weights
            ]
        )

    def _parts(self, theta):
        d = self.dim
        return theta[: d * d].reshape(d, d), theta[-2 * d : -d], theta[-d:]

    def _masses(self, theta):
        """exp(-E) times the weights, at all pairs of nodes."""
        q, q1, q2 = self._parts(theta)
        x = self.nodes
        energy = x @ q @ x.T + (x @ q1)[:, None] + (x @ q2)[None]
        return np.exp(-energy) * self.weights[:, None] * self.weights

    def moments(self, theta):
        """E[x y^T], E[x] and E[y], in the order of the parameters."""
        masses = self._masses(theta)
        masses /= masses.sum()
        x = self.nodes
        return np.concatenate(
            [
                (x.T @ masses @ x).ravel(),
                masses.sum(1) @ x,
                masses.sum(0) @ x,
            ]
        )

    def data_moments(self, texts):
        x = texts[:, :-1].reshape(-1, self.dim).astype(float)
        y = texts[:, 1:].reshape(-1, self.dim).astype(float)
        return np.concatenate(
            [(x.T @ y / len(x)).ravel(), x.mean(0), y.mean(0)]
        )

    def log_likelihood(self, theta, texts):
        """Mean log p of all adjacent pairs; E is linear in the parameters."""
        mean_energy = theta @ self.data_moments(texts)
        return -mean_energy - np.log(self._masses(theta).sum())

    def gradient(self, theta, texts):
        """Gradient of the mean log-likelihood."""
        return self.moments(theta) - self.data_moments(texts)


def neighbours(texts, length, dim):
    """Random states, each like the one before, `(texts, length, dim)`."""
    rng = np.random.default_rng(0)
    mixing = np.eye(dim) + 0.5 * np.eye(dim, k=1)
    states = [np.tanh(rng.normal(size=(texts, dim)))]
    for _ in range(length - 1):
        noise = rng.normal(size=(texts, dim))
        states.append(np.tanh(states[-1] @ mixing + 0.7 * noise + 0.2))
    return np.stack(states, 1).astype("float32")
