"""Floors: rankings without a trained network, which a model should pass."""

from collections.abc import Iterable
from collections.abc import Mapping
from functools import cache
from typing import Any

from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group
from reproductions.report.commands import experiment_or_none

METRIC = "MAP"
# A ranking without a network, which has settings of recipes.
TERM_DEPENDENCE = "wsdm"
# Stands next to a figure below the best floor.
BELOW = "↓"
# How the pages call those that have weights; others are `UNTRAINED`.
FITTED = "fitted"
# The setting of how many layers of a BERT give the vectors.
LAYERS = "bert_layers"


class Floors:
    """The floors of all papers, as one paper's page needs them.

    A floor is a group of runs without a trained network. Of the same floor
    with the same vectors, one of the model's training set is taken, whose texts
    it counted and whose labels it may have been fitted to; first one that left
    out a fold of it, or none, as the model did. Of several such, a paper's page
    takes its own paper's, since another paper's tokenizer may differ, and
    otherwise the one with the highest MAP.

    Args:
        groups: the measured runs of all papers.
        paper: the key of the page's paper.
    """

    def __init__(self, groups: Iterable[Group], paper: str):
        self._groups = sorted(
            filter(is_untrained, groups),
            key=lambda group: (group.paper != paper, -mean_of(group)),
        )

    def of(self, group: Group) -> list[Group]:
        """The floors of a group's word vectors or of none; best first.

        The vectors of a BERT are those of as many of its layers.
        """
        found: dict[tuple[str, tuple[str, ...]], Group] = {}
        for floor in sorted(
            self._groups,
            key=lambda floor: (
                floor.trained_on != group.trained_on,
                floor.fitted_on != group.fitted_on,
            ),
        ):
            if _comparable(floor, group):
                found.setdefault((floor.model, floor.vectors), floor)
        return sorted(found.values(), key=mean_of, reverse=True)

    def best(self, group: Group) -> Group | None:
        """The best floor of a group's own vectors, None if there is no floor.

        There is none of a floor, and none of a group without MAP.
        """
        if is_untrained(group) or METRIC not in group.metrics:
            return None
        found = self.of(group)
        return found[0] if found else None

    def easy(self, group: Group) -> bool:
        """True if a group is above its floors, of which none reads its vectors.

        Floors without vectors are easy to pass.
        """
        found = [floor.vectors for floor in self.of(group)]
        above = self.above(group)
        return above is not None and above >= 0 and group.vectors not in found

    def above(self, group: Group) -> float | None:
        """How far a group's MAP is above that of the best floor, or None."""
        best = self.best(group)
        return None if best is None else mean_of(group) - mean_of(best)


def is_untrained(group: Group) -> bool:
    """Returns True for a measured ranking without a trained network."""
    without = group.recipe == UNTRAINED or group.model == TERM_DEPENDENCE
    return without and METRIC in group.metrics


def _comparable(floor: Group, group: Group) -> bool:
    layers = [bert_layers(g.paper, g.settings) for g in (floor, group)]
    return (
        floor.split == group.split
        and group.is_of(floor.dataset)
        and (not floor.vectors or floor.vectors == group.vectors)
        and (floor.model not in CONTEXTUAL_FLOORS or layers[0] == layers[1])
    )


def bert_layers(paper: str, settings: Mapping[str, Any]) -> int | None:
    """How many layers of a BERT give the vectors; None where no setting says.

    Args:
        paper: the key of the paper whose script was run.
        settings: those of a record, which leaves out its script's default.
    """
    layers: int | None = settings.get(LAYERS, _default_layers(paper))
    return layers


@cache
def _default_layers(paper: str) -> int | None:
    experiment = experiment_or_none(paper)
    return getattr(experiment and experiment.settings, LAYERS, None)


def mean_of(group: Group) -> float:
    """The mean of the metric that floors are compared by; 0 without one."""
    statistic = group.metric(METRIC)
    return statistic.mean if statistic else 0.0
