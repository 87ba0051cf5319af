"""The study's conditions are distinct runs that the script accepts."""

from reproductions.harness.settings import parse_arguments
from reproductions.hyperqa import experiment as hyperqa
from reproductions.hyperqa import study as hyperqa_study


def test_every_condition_is_a_run_of_its_own():
    conditions = list(hyperqa_study.conditions())
    assert len({c.name for c in conditions}) == len(conditions)
    resolved = set()
    for condition in conditions:
        arguments = parse_arguments(
            "hyperqa",
            "",
            hyperqa.MODELS,
            tuple(hyperqa.RECIPES),
            [*condition.options, "--split", "dev"],
        )
        settings = hyperqa.settings_of(arguments)
        resolved.add(
            (
                arguments.dataset,
                arguments.model,
                arguments.recipe,
                arguments.seed,
                condition.own_vectors,
                tuple(settings.items()),
            )
        )
    assert len(resolved) == len(conditions)


def test_failure_stops_it(tmp_path, capsys):
    status = hyperqa_study.main(
        ["--data-dir", str(tmp_path), "--embeddings", "none.txt"]
    )
    assert status == 2
    assert "error:" in capsys.readouterr().err
