"""Makes the kit's docstrings, which are Markdown as Keras's are, Sphinx's.

Runs before napoleon, which reads the sections (`Args:`, `Output:`, ...):

- `code` becomes a literal, or a link where it is a public name of the kit;
- a paragraph that is indented in the text is a formula; it stays as it is, or
  becomes that of `equations.toml`;
- all other characters are protected: `*` and `|` mean themselves.
"""

import functools
import importlib
import inspect
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.inspect import signature
from sphinx.util.inspect import stringify_signature

MODULES = (
    "keras_qa.layers",
    "keras_qa.models",
    "keras_qa.datasets",
    "keras_qa.embeddings",
)
# Documented where they are defined.
ELSEWHERE = {
    "Ranker": "keras_qa.ranker.Ranker",
    "TextReading": "keras_qa.text.reading.TextReading",
}
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LIST_ITEM = re.compile(r"([-*] |\d+\. )")
BEFORE_NAPOLEON = 400
EQUATIONS = Path(__file__).with_name("equations.toml")


@functools.cache
def public_names() -> dict[str, str]:
    """The classes and functions that have an entry, by their bare names."""
    return ELSEWHERE | {
        name: f"{module}.{name}"
        for module in reversed(MODULES)
        for name in importlib.import_module(module).__all__
    }


@functools.cache
def equations() -> dict[str, list[str]]:
    """The formulas of docstrings in LaTeX, by the name of a layer."""
    return tomllib.loads(EQUATIONS.read_text("utf-8"))


def to_restructured(
    lines: list[str], formulas: Sequence[str] | None = None
) -> list[str]:
    """One docstring in reStructuredText.

    Args:
        lines: the docstring without its common indentation.
        formulas: LaTeX in place of its formulas; None keeps these.

    Raises:
        ExtensionError: if `formulas` are not as many as those of the docstring.
    """
    found = 0
    result: list[str] = []
    outer, in_list = 0, False
    for block in _paragraphs(lines):
        first = block[0]
        indent = len(first) - len(first.lstrip())
        text = first.lstrip()
        in_list = (in_list and indent > 0) or bool(LIST_ITEM.match(text))
        if text.startswith(">>>"):
            result += [*block, ""]
            continue
        if indent >= outer + 4 and result and not in_list:
            found += 1
            if formulas is None:
                result += [" " * outer + "::", "", *block, ""]
            elif found <= len(formulas):
                latex = " ".join(formulas[found - 1].split())
                result += [f"{' ' * outer}.. math:: {latex}", ""]
            continue
        result += ["\n".join(block), ""]
        result[-2:] = [*_inline(result[-2]).split("\n"), ""]
        # The content of a section is indented below its title.
        outer = indent + 4 * _opens_section(block)
    if formulas is not None and found != len(formulas):
        raise ExtensionError(
            f"expected {found} formulas in {EQUATIONS.name}. "
            f"Received: {len(formulas)}, {lines[0]!r}"
        )
    return result


def _paragraphs(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


def _opens_section(block: list[str]) -> bool:
    return bool(re.fullmatch(r"[A-Z][a-z ]+:", block[0]))


def _inline(text: str) -> str:
    # Before the asterisks of lists would be protected, too.
    text = re.sub(r"^( *)\* ", r"\1- ", text, flags=re.MULTILINE)
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts.append(_protect(text[end : code.start()]))
        parts.append(_code(code.group(2)))
        end = code.end()
        if text[end : end + 1].isalnum():
            parts.append("\\ ")
    return "".join([*parts, _protect(text[end:])])


def _code(code: str) -> str:
    full = public_names().get(code)
    return f":py:obj:`{code} <{full}>`" if full else f"``{code}``"


def _protect(text: str) -> str:
    text = re.sub(r"([\\*|`])", r"\\\1", text)
    return re.sub(r"_(?!\w)", r"\\_", text)


def process_docstring(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Replaces the lines of one docstring."""
    module, _, layer = name.rpartition(".")
    formulas = equations().get(layer) if module == MODULES[0] else None
    lines[:] = to_restructured(lines, formulas)


def process_signature(
    app: Sphinx,
    what: str,
    name: str,
    obj: Any,
    options: Any,
    arguments: str | None,
    returned: str | None,
) -> tuple[str, None] | None:
    """Shows a class by its constructor, which Keras's `__new__` hides."""
    if not inspect.isclass(obj) or not inspect.isfunction(obj.__init__):
        return None
    found = signature(obj.__init__, bound_method=True)
    found = found.replace(return_annotation=inspect.Signature.empty)
    return stringify_signature(found, unqualified_typehints=True), None


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension."""
    app.connect("autodoc-process-docstring", process_docstring, BEFORE_NAPOLEON)
    app.connect("autodoc-process-signature", process_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
