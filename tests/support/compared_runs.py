"""Records and folders of runs that are compared question by question."""

import json

SHARED = {
    "paper": "ctrn",
    "model": "ctrn",
    "dataset": "trecqa-raw",
    "split": "dev",
    "seed": 1,
    "recipe": "paper",
    "vectors": ["glove.txt"],
    "metrics": {},
}


def write_run(folder, orders, **fields):
    """A run's folder.

    Args:
        orders: for each question the labels of its candidates as ranked.
    """
    folder.mkdir(parents=True)
    tag = f"{fields.get('model')}-{fields.get('row')}-{fields.get('seed')}"
    ranked, judged = [], []
    for name, order in orders.items():
        for rank, label in enumerate(order, start=1):
            ranked.append(f"{name} Q0 c{rank} {rank} {-rank}.0 {tag}\n")
            judged.append(f"{name} 0 c{rank} {label}\n")
    (folder / "run.trec").write_text("".join(ranked))
    (folder / "qrels.trec").write_text("".join(judged))
    (folder / "metrics.json").write_text(json.dumps(record(**fields)))
    return folder


def record(**fields):
    return {**SHARED, **fields}
