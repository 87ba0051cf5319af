"""The memory of earlier models and their batches, for commands of many runs."""

import sys

from keras_qa.quiet import silence_tensorflow


def forget_models() -> None:
    """Frees the memory of earlier models and batches that nothing uses."""
    silence_tensorflow()
    import keras

    from keras_qa.devices import clear_session

    if keras.backend.backend() == "tensorflow":
        # A list of TensorFlow's graph, which is never freed, contains a
        # function of the batches of each `fit`.
        graph = sys.modules["tensorflow"].compat.v1.get_default_graph()
        getattr(graph, "_py_funcs_used_in_graph", []).clear()
    clear_session()
