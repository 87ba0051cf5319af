"""Links in the README, the documents and the pages of results lead somewhere.

Links to other sites are asked for by `make linkcheck`, which needs a network.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *(ROOT / "reproductions").rglob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
]
LINK = re.compile(r"\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```+).*?^\1", re.MULTILINE | re.DOTALL)


def anchors(path):
    """The headings of a page as GitHub and MyST make anchors of them."""
    text = FENCE.sub("", path.read_text("utf-8"))
    found = set()
    for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        number, anchor = 0, slug
        while anchor in found:
            number += 1
            anchor = f"{slug}-{number}"
        found.add(anchor)
    return found


@pytest.mark.parametrize(
    "page", sorted(str(path.relative_to(ROOT)) for path in PAGES)
)
def test_links_lead_to_files_and_headings(page):
    path = ROOT / page
    text = FENCE.sub("", path.read_text("utf-8"))
    assert "[](" not in text, f"{page}: a link without text"
    for link in LINK.findall(text):
        if re.match(r"https?://|mailto:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page}: {link}"
