"""Equations as MathML, which browsers show without a script or a network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def to_mathml(latex: str, display: str) -> str:
    """The MathML of an equation.

    Args:
        latex: the equation.
        display: `"inline"` or `"block"`.

    Raises:
        ExtensionError: if a part of it cannot be converted.
    """
    # The converter aligns under the outer environment's name only.
    latex = latex.replace("{aligned}", "{align*}")
    made: str = convert(latex, display=display)
    # The converter keeps commands and alignments that it does not know.
    if "\\" in made or "<mi>&</mi>" in made:
        raise ExtensionError(
            f"expected LaTeX that latex2mathml converts. Received: {latex!r}"
        )
    return made


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Writes an equation in a line of text."""
    translator.body.append(to_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Writes an equation on lines of its own."""
    made = to_mathml(node.astext(), "block")
    # Wide equations scroll; a focus lets the keyboard scroll them.
    translator.body.append(f'<div class="equation" tabindex="0">{made}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension."""
    app.add_html_math_renderer(
        "mathml", (visit_inline, None), (visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
