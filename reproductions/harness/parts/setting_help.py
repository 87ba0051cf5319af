"""Settings in the text of `--help`."""

import dataclasses
import json
import shutil
import textwrap
from typing import Any
from typing import get_origin

from reproductions.harness.parts.setting_fields import kinds_of


def describe_settings(settings: type[Any]) -> str:
    """The settings for `--help`: default, what is allowed, source, note."""
    defaults, kinds = settings(), kinds_of(settings)
    lines = ["settings, changed by --set NAME=VALUE, [place in the paper]:"]
    for field in dataclasses.fields(settings):
        rule = field.metadata["rule"]
        kind, optional = kinds[field.name]
        allowed = " | ".join(map(str, rule.choices))
        if not allowed:
            limits = rule.limits.replace("be ", "")
            allowed = f"{(get_origin(kind) or kind).__name__} {limits}".strip()
        default = json.dumps(getattr(defaults, field.name))
        about = f"{allowed}{' | null' * optional} [{rule.section}] {rule.note}"
        lines += wrapped(f"{field.name}={default}", about)
    return "\n".join(lines)


def wrapped(name: str, about: str, column: int = 34) -> list[str]:
    """One or more lines of `--help` in two columns."""
    width = max(60, shutil.get_terminal_size().columns - 2)
    head = f"  {name:<{column - 3}} "
    return textwrap.wrap(
        head + about,
        width,
        subsequent_indent=" " * column,
        break_on_hyphens=False,
    )
