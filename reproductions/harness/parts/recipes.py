"""Recipes: named changes to the published settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Any


@dataclass(frozen=True)
class Recipe:
    """The changes that a recipe makes to the published settings.

    Attributes:
        about: what it is for, a phrase for `--help`.
        changes: new values, for all models.
        models: new values for one model, by its name.
        datasets: new values for one data set, by its name.
        searched: new values for one model on one data set, by both names.
    """

    about: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    datasets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    searched: Mapping[tuple[str, str], Mapping[str, Any]] = field(
        default_factory=dict
    )

    def lacks(self, model: str, dataset: str) -> bool:
        """Returns True if nothing was searched for a model on a data set."""
        return bool(self.searched) and (model, dataset) not in self.searched
