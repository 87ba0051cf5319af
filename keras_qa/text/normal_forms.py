"""Normal forms of texts: two that differ in little have the same."""

from keras_qa.text.tokenizer import lower_case
from keras_qa.text.tokenizer import tokenize


def normal_text(text: str) -> str:
    """A normal form, equal for texts that differ only in case and space."""
    return " ".join(lower_case(text).split())


def words_of(question: str) -> str:
    """A normal form, equal for questions that differ in no letter or digit.

    It is that of `normal_text` for a question without any.
    """
    tokens = tokenize(question)
    words = [token for token in tokens if any(map(str.isalnum, token))]
    return " ".join(words) or normal_text(question)
