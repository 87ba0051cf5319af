"""Records triplet losses of TensorFlow Addons, values and gradients.

    python tests/export/tf215/record_triplets.py

writes tests/data/triplet_losses.json, with the Python of an environment that
has what requirements.txt lists (test_tf215.py says how to make one). The labels
and embeddings of each case are in the file, so that its readers need nothing
of what drew them.
"""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow_addons as tfa

PATH = Path(__file__).parents[2] / "data" / "triplet_losses.json"
LOSSES = {
    "hard": tfa.losses.TripletHardLoss,
    "semi-hard": tfa.losses.TripletSemiHardLoss,
}
# Labels that give every anchor a triplet, and others.
LABELS = {
    "two each": [0, 0, 1, 1, 2, 2, 3, 3],
    "uneven": [0, 0, 0, 0, 1, 1, 2, 2],
    "one alone": [0, 0, 0, 1, 1, 2, 1],
    "all alone": [0, 1, 2, 3],
    "all alike": [5, 5, 5, 5],
    "doubled": [0, 0, 1, 1, 0, 1],
}


def embeddings(name: str) -> np.ndarray:
    """Different embeddings, or for "doubled" two of each."""
    drawn = np.random.default_rng(len(name)).normal(size=(len(LABELS[name]), 3))
    if name == "doubled":
        # Small integers: their distances are exact, in any order of adding.
        drawn = np.repeat([[1, 2, 2], [0, 1, 2], [4, 0, 0]], 2, axis=0)
    return drawn.astype(np.float32)


def recorded(name: str, mining: str, margin: float, metric: str) -> dict:
    """One loss and its gradient; a gradient that is not finite is left out."""
    loss = LOSSES[mining](margin=margin, distance_metric=metric)
    vectors = tf.constant(embeddings(name))
    with tf.GradientTape() as tape:
        tape.watch(vectors)
        value = loss(tf.constant(LABELS[name]), vectors)
    gradient = tape.gradient(value, vectors).numpy()
    return {
        "labels": name,
        "mining": mining,
        "margin": margin,
        "distance_metric": metric,
        "value": float(value) if np.isfinite(value) else None,
        "gradient": gradient.tolist() if np.isfinite(gradient).all() else None,
    }


def main() -> None:
    """Writes the file."""
    record = {
        "tensorflow": tf.__version__,
        "tensorflow_addons": tfa.__version__,
        "labels": LABELS,
        "embeddings": {name: embeddings(name).tolist() for name in LABELS},
        "losses": [
            recorded(name, mining, margin, metric)
            for name in LABELS
            for mining in LOSSES
            for margin in (0.5, 1.0)
            for metric in ("L2", "squared-L2", "angular")
            # The cosines of doubled embeddings are equal but for rounding.
            if (name, metric) != ("doubled", "angular")
        ],
    }
    PATH.write_text(json.dumps(record) + "\n", encoding="utf-8")
    print(f"{len(record['losses'])} losses in {PATH}")


if __name__ == "__main__":
    main()
