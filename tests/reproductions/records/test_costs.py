"""The recorded costs are of the models that the recorded runs trained."""

from reproductions.records.costs import read_costs
from reproductions.records.paper_figures import FOLDER
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs


def test_a_model_was_timed_with_as_many_parameters_as_its_runs_have():
    """Otherwise its recipe or its class has changed since it was timed.

    The costs name no word vectors: a model may have those of any of its runs.
    """
    trained: dict[tuple[str, ...], set[int]] = {}
    for group in group_runs(read_all_runs(FOLDER / "records")):
        if not group.overrides and not group.earlier:
            name = group.paper, group.model, group.dataset, group.recipe
            trained.setdefault(name, set()).update(group.values("parameters"))
    stale = []
    for cost in read_costs(FOLDER / "records" / "costs.jsonl"):
        name = cost["paper"], cost["model"], cost["dataset"], cost["recipe"]
        if "parameters" in cost:
            found = trained.get(name, set())
            if cost["parameters"] not in found:
                stale.append((*name, cost["parameters"], sorted(found)))
    assert stale == []
