"""Folders of runs, which need no training to be loaded as rankers."""

import json

from keras_qa.export.keras_file import export_keras


def write_run(folder, model, vocabulary, tokenizer="word", **lengths):
    """Writes the files of a run that a ranker is loaded from.

    Args:
        folder: the folder, which may exist.
        model: the model.
        vocabulary: the model's `Vocabulary`.
        tokenizer: how texts are split.
        **lengths: `max_question_length`, `max_answer_length`, if any.

    Returns:
        The folder.
    """
    folder.mkdir(exist_ok=True)
    export_keras(model, folder / "model.keras")
    vocabulary.save(folder / "vocabulary.txt")
    lengths = {
        "max_question_length": None,
        "max_answer_length": None,
        **lengths,
    }
    metrics = {"settings": lengths, "tokenizer": tokenizer}
    (folder / "metrics.json").write_text(json.dumps(metrics))
    return folder
