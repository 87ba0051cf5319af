"""The inputs of a target: damaged files, and odd but well-formed ones."""

from collections.abc import Iterator
from functools import cache

from hypothesis import HealthCheck
from hypothesis import Phase
from hypothesis import given
from hypothesis import seed
from hypothesis import settings

from devtools.fuzz import dataset_targets
from devtools.fuzz import model_targets
from devtools.fuzz import record_targets
from devtools.fuzz import run_targets
from devtools.fuzz import search_targets
from devtools.fuzz import vector_targets
from devtools.fuzz.mutations import Mutator
from devtools.fuzz.structures import Case
from devtools.fuzz.target import Target

_STRUCTURED = 0.1
"""Share of the inputs that hypothesis makes, where it can."""


def all_targets() -> dict[str, Target]:
    """All targets by name."""
    modules = (
        *(dataset_targets, vector_targets, record_targets),
        *(run_targets, search_targets, model_targets),
    )
    return {t.name: t for module in modules for t in module.targets()}


@cache
def _donors() -> tuple[bytes, ...]:
    """The beginning of a file of each data set, to splice into other files."""
    return tuple(
        next(iter(target.case().values()))[:4096]
        for target in dataset_targets.targets()
    )


def inputs_of(target: Target, count: int, number: int) -> Iterator[Case]:
    """Yields the inputs of a target, first the valid files.

    Args:
        target: the target.
        count: number of inputs.
        number: seed; equal seeds give equal inputs.

    Yields:
        Files by name.
    """
    valid = target.case()
    yield valid
    left = count - 1
    if target.structured is not None:
        odd = _structured(target, valid, round(_STRUCTURED * left), number)
        left -= len(odd)
        yield from odd
    mutator = Mutator(
        f"{target.name} {number}",
        target.words,
        (*_donors(), *valid.values()),
    )
    for _ in range(left):
        yield mutator.files(valid, target.gzipped)


def _structured(
    target: Target, valid: Case, count: int, number: int
) -> list[Case]:
    if target.structured is None or not count:
        return []
    found: list[Case] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.structured(valid))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found[:count]
