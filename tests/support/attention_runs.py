"""Run folders for the tests of attention viewers."""

import json

from keras_qa.export.keras_file import export_keras


def write_run(folder, model, vocabulary, settings=None, tokenizer="word"):
    """Writes the files of a run that the viewers read.

    Args:
        folder: an existing folder.
        model: the model.
        vocabulary: the model's `Vocabulary`.
        settings: settings that differ from the defaults.
        tokenizer: how texts are split.

    Returns:
        The folder.
    """
    export_keras(model, folder / "model.keras")
    vocabulary.save(folder / "vocabulary.txt")
    settings = {
        "max_question_length": None,
        "max_answer_length": 4,
        **(settings or {}),
    }
    metrics = {"settings": settings, "tokenizer": tokenizer}
    (folder / "metrics.json").write_text(json.dumps(metrics))
    return folder
