"""How each figure was made, as a paper's page says it."""

import pytest

from reproductions.records.paired_tests import Condition
from reproductions.records.paper_figures import FOLDER
from reproductions.records.paper_figures import load_papers
from reproductions.records.rankings import Ranking
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report.paper_page import paper_page
from reproductions.report.provenance import how_made
from support.report_pages import page
from support.report_pages import run
from support.report_pages import section
from support.report_pages import seeds

TITLE = "## How each figure was made"


def test_facts_and_command_are_listed():
    share = {"any_running": {"covered": 969, "total": 1000}}
    versions = {"commit": "abc1234", "python": "3.11.7", "keras": "3.15.1"}
    runs = seeds(0.7, 0.8, coverage=share, versions=versions, epochs=4)
    part = " ".join(section(page(*runs), TITLE).split())
    assert (
        "**HyperQA**, recipe paper, dev: seeds 1, 2; commit `abc1234`; `other` "
        "with 96.9% of the running words; epoch chosen on a fold of train; "
        "6 s; python 3.11.7, keras 3.15.1; `run.trec` without a checksum."
        in part
    )
    # The fixture's settings are not all that a run has.
    assert "No command makes it now: no options give its settings." in part
    assert TITLE not in page()


def test_data_sets_of_a_first_training_keep_their_order():
    """In another order it would be another run."""
    found = {
        tuple(one["transfer"]): one
        for one in read_all_runs(FOLDER / "records")
        if one.get("transfer") and not one["inputs"].get("teacher")
    }
    names = "selqa", "trecqa-all", "squad-sentences"
    (group,) = group_runs([found[names]])
    part = "".join(how_made(load_papers()[group.paper], [group], [], []))
    line = " ".join(part.replace("\\\n", " ").split())
    assert f"--transfer {' '.join(names)} " in line


@pytest.mark.parametrize("mean", [0.75, 0.74])
def test_checksums_are_of_the_same_runs(mean):
    condition = Condition(
        "hyperqa", "paper", ["other"], "t", {}, [1, 2], mean, None
    )
    ranking = Ranking(
        *("hyperqa", "wikiqa", "dev", "MAP", 126, condition, (0.6, 0.9), 0.95),
        *(10, ["0123456789abcdef01", "f"], {}, {}),
    )
    paper, groups = load_papers()["hyperqa"], group_runs(seeds(0.7, 0.8))
    text = "".join(how_made(paper, groups, groups, [ranking]))
    found = "`0123456789abcdef…`" if mean == 0.75 else "without a checksum"
    assert f"`run.trec` {found}" in " ".join(text.split())
    # Runs with changed settings are not listed, unless they were on test.
    runs = run(overrides={"a": 1}), run(overrides={"a": 1}, once=True, seed=2)
    text = paper_page(paper, group_runs(runs[:1]), [], {})
    assert TITLE not in text
    assert TITLE in paper_page(paper, group_runs(runs[1:]), [], {})
