"""Fixtures of the tests of BERT."""

import pytest

from support import bert_reference


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A small BERT with the weights that `make_weights` draws by default."""
    path = tmp_path_factory.mktemp("bert") / "tiny"
    return bert_reference.write_bert(path, bert_reference.make_weights())
