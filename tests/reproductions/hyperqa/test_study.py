"""The study's conditions are distinct runs that the command accepts."""

from argparse import Namespace

from reproductions.harness.command import parse_arguments
from reproductions.hyperqa import experiment as hyperqa
from reproductions.hyperqa import study as hyperqa_study
from support.script_runs import settings_of


def test_every_condition_is_a_run_of_its_own():
    given = Namespace(embeddings=["vectors.bin"])
    conditions = list(hyperqa_study.runs(given))
    assert len({c.name for c in conditions}) == len(conditions)
    resolved = set()
    for condition in conditions:
        options = [*condition.options, "--split", "dev"]
        arguments = parse_arguments(hyperqa.EXPERIMENT, options)
        settings = settings_of(hyperqa, *options)
        resolved.add(
            (
                arguments.dataset,
                arguments.model,
                arguments.recipe,
                arguments.seed,
                tuple(condition.vectors),
                tuple(settings.items()),
            )
        )
    assert len(resolved) == len(conditions)
