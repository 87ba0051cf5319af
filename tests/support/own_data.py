"""A table of questions, and settings that train in a moment."""

import csv

TINY = {
    "skipgram_dim": 4,
    "skipgram_epochs": 1,
    "epochs": 2,
    "candidates": 4,
    "bm25_questions": 4,
}


def write_table(path, questions, labels=True):
    """Questions with a right answer, and with labels a wrong one."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "answer", *(["label"] if labels else [])])
        for i in questions:
            question = f"what is thing number n{i} of the list"
            right = f"the thing n{i} is a w{i % 7}"
            wrong = f"the list has w{i % 5} things"
            if labels:
                rows.writerow([question, right, 1])
                rows.writerow([question, wrong, 0])
            else:
                rows.writerow([question, right])
    return path
