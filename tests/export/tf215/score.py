"""Scores text with a SavedModel under TensorFlow 2.15 and TensorFlow Addons.

Run by test_tf215.py with the Python of an environment that has only what
requirements.txt lists. Reads pairs of texts as JSON from standard input and
prints the scores of both signatures as JSON.
"""

import json
import sys

import tensorflow as tf
import tensorflow_addons as tfa


def main() -> None:
    path = sys.argv[1]
    questions, answers = zip(*json.load(sys.stdin), strict=True)
    signatures = tf.saved_model.load(path).signatures
    scored = signatures["serving_default"](
        question=tf.constant(questions), answer=tf.constant(answers)
    )
    ranked = signatures["rank"](
        question=tf.constant(questions[0]), candidates=tf.constant(answers)
    )
    result = {
        "tensorflow": tf.__version__,
        "tensorflow_addons": tfa.__version__,
        "keras_qa": "keras_qa" in sys.modules,
        "score": scored["score"].numpy().tolist(),
        "scores": ranked["scores"].numpy().tolist(),
        "order": ranked["order"].numpy().tolist(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
