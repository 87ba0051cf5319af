"""Sphinx's settings for the documents: `make docs` builds them.

The pages are Markdown. What would go stale is made while they are built: the
reference from docstrings (`docstrings.py`), and results, ledger of deviations,
the commands' help and the guide's notebook from the files and parsers of the
kit (`generated_parts.py`).
"""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

from keras_qa.quiet import silence_tensorflow  # noqa: E402
from keras_qa.version import __version__  # noqa: E402

silence_tensorflow()

project = "keras_qa"
author = "the authors of keras_qa"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "docstrings",
    "generated_parts",
    "mathml",
]
html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
templates_path = ["_templates"]
# Prompts and what a program printed are not copied.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
html_title = f"keras_qa {release}"
html_copy_source = False
exclude_patterns = ["Thumbs.db"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# What is no Python says so by having no language.
highlight_language = "none"


def papers_of_layers() -> dict[str, str]:
    """The paper of a layer, as the page of all layers groups them."""
    papers: dict[str, str] = {}
    paper = ""
    for line in (HERE / "api/layers.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            found = re.search(r"papers/(\w+)\.md", line)
            paper = found[1] if found else ""
        elif paper and re.fullmatch(r"   \w+", line):
            papers[line.strip()] = paper
    return papers


# Only the layers have a page each; other modules have theirs.
autosummary_generate = ["api/layers.md"]
autosummary_context = {"papers": papers_of_layers()}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [
    ("Call arguments", "params_style"),
    ("Output", "Returns"),
    ("References", "notes"),
]
python_maximum_signature_line_length = 78

# Types in signatures and errors in docstrings are found where they are
# documented, and stay plain words otherwise: most belong to other libraries,
# whose documents cannot be asked without a network. References that a page
# spells out have other roles and must exist.
nitpicky = True
nitpick_ignore_regex = [("py:(class|exc)", ".*")]

linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_anchors = False
