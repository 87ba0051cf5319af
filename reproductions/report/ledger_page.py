"""The pages of deviations: where the kit departs from a paper."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.deviations import Deviation
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED

INTRODUCTION = """\
Where a paper contradicts itself, is silent, or differs from the code that was
released: what is printed, what the kit does by default, what switches it, and
the test that shows it."""


def ledger_page(title: str, deviations: Sequence[Deviation]) -> str:
    """The page of one paper's deviations, or of the common ones, in Markdown.

    Args:
        title: whose deviations they are.
        deviations: the entries.
    """
    return "\n".join(
        [
            f"# {title}: deviations\n\n{GENERATED}\n",
            markdown.paragraph(INTRODUCTION),
            *ledger(deviations, "##"),
        ]
    )


def ledger(deviations: Iterable[Deviation], heading: str) -> list[str]:
    """A section for each entry.

    Args:
        deviations: the entries.
        heading: the level of the sections' headings, such as `"##"`.
    """
    return [
        f"{heading} {' '.join(entry.where.split())}\n\n"
        + markdown.item(f"*As printed:* {entry.printed}")
        + "\n"
        + markdown.item(f"*Our default:* {entry.default}")
        + "\n"
        + markdown.item(f"*Switch:* {markdown.names(entry.arguments)}")
        + "\n"
        + markdown.item(f"*Shown by:* {markdown.names(entry.tests)}")
        + "\n"
        for entry in deviations
    ]
