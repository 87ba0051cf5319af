"""The BERT that a model of one's own data starts from."""

from importlib.util import find_spec
from pathlib import Path

from keras_qa.errors import VectorsError
from keras_qa.own_data.settings import BERTS
from keras_qa.own_data.settings import MINILM

PACKAGES = ("keras_hub", "safetensors", "tokenizers")


def bert_source(model: str, bert: Path | str | None) -> Path | str | None:
    """The directory or the preset of a model's BERT; None if it has none.

    It imports no Keras, so that what is missing is said at once.

    Args:
        model: the name of the model.
        bert: the name or the directory of a BERT; None is `"minilm"`.

    Raises:
        ImportError: if a package is missing.
        VectorsError: if a directory is missing or contains no BERT, or a BERT
            is given for a model that has none.
    """
    if model not in BERTS:
        if bert is not None:
            raise VectorsError(
                f"`bert` goes with the models {' and '.join(BERTS)}. "
                f"Received: bert={str(bert)!r}, model={model!r}"
            )
        return None
    from keras_qa.embeddings.bert.source import INSTALL
    from keras_qa.embeddings.bert.source import find_bert

    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"`model` {model} needs {', '.join(missing)}: {INSTALL}"
        )
    return find_bert(bert or MINILM)


def bert_digest(source: Path | str) -> str:
    """A digest of a directory's files; the name of a preset."""
    from keras_qa.embeddings.bert.source import directory_digest

    if isinstance(source, str):
        return source
    return directory_digest(source)[:16]
