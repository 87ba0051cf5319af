"""Ratios and projected epochs of `hyperqa_epoch`, and their report."""

import statistics
from typing import Any

from benchmarks.hyperqa_epoch_work import WORKLOADS
from benchmarks.hyperqa_epoch_work import Settings
from benchmarks.results import at_least
from benchmarks.results import at_most
from benchmarks.results import paired_ratio
from benchmarks.results import print_bounds

PLAIN_KERAS = ("keras", "keras-xla")
EPOCH_PAIRS = 253_000
MAX_EPOCH_SECONDS = 20.0
MIN_SPEEDUP = {"triples": 2.7, "shared": 4.5}


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Ratios, rates and projected epochs from the rounds' times."""
    times = measured["seconds"]
    triples = {n: statistics.median(s) for n, s in times["triples"].items()}
    plain = min(PLAIN_KERAS, key=triples.__getitem__)
    summary: dict[str, Any] = {"plain_keras": plain}
    for workload, seconds in times.items():
        median = {name: statistics.median(s) for name, s in seconds.items()}
        questions = settings.questions(workload)
        negatives = WORKLOADS[workload].negatives
        steps = EPOCH_PAIRS / (questions * (1 + negatives))
        # Triples per step, in batches of the plain form.
        size = questions * negatives / settings.batch_size
        summary[workload] = {
            "seconds_per_step": median,
            "triples_per_second": {
                name: questions * negatives / s for name, s in median.items()
            },
            "epoch_seconds": {name: steps * s for name, s in median.items()},
            "speedup": size
            * paired_ratio(times["triples"][plain], seconds["packed"]),
            "speedup_over_shared_keras": paired_ratio(
                seconds[plain if workload == "triples" else "keras"],
                seconds["packed"],
            ),
            "speedup_over_torch": size
            * paired_ratio(times["triples"]["torch"], seconds["packed"]),
            "pipeline_share": measured["profile"][workload]["pipeline"]
            / median["packed"],
        }
    epoch = summary["wide"]["epoch_seconds"]["packed"]
    summary["bounds"] = {
        **{
            f"packed against plain Keras, {name}": at_least(
                summary[name]["speedup"], bound
            )
            for name, bound in MIN_SPEEDUP.items()
        },
        "seconds of an epoch, wide": at_most(epoch, MAX_EPOCH_SECONDS),
    }
    return summary


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    for name, workload in WORKLOADS.items():
        found = summary[name]
        print(
            f"\n{name}: {settings.questions(name)} questions with 1 positive "
            f"and {workload.negatives} negative(s) each"
        )
        print("            ms/step  triples/s  253,000 pairs  loss, round 1")
        for contender in workload.contenders:
            print(
                f"  {contender:<10}"
                f"{1000 * found['seconds_per_step'][contender]:7.1f}"
                f"{found['triples_per_second'][contender]:11,.0f}"
                f"{found['epoch_seconds'][contender]:13.1f} s"
                f"{measured['losses'][f'{name} {contender}']:15.4f}"
            )
        print(
            f"  packed: {found['speedup']:.2f} times the triples of "
            f"{summary['plain_keras']}, each by itself, and "
            f"{found['speedup_over_torch']:.2f} times those of torch;\n"
            f"  {found['speedup_over_shared_keras']:.2f} times as fast as "
            "keras that encodes what is shared once"
        )
        profile = measured["profile"][name]
        print(
            f"  data pipeline alone: {1000 * profile['pipeline']:.2f} ms per "
            f"batch, {100 * found['pipeline_share']:.1f}% of the step; with "
            f"batches prepared before, a step takes "
            f"{1000 * profile['prepared']:.1f} ms"
        )
    epoch = {w: summary[w]["epoch_seconds"]["packed"] for w in WORKLOADS}
    print(
        f"\nAn epoch of 253,000 pairs takes {epoch['wide']:.1f} s as 50,600 "
        "questions with 5 answers each, which YahooQA has, in batches of "
        f"{settings.questions('wide')} questions "
        f"({epoch['shared']:.1f} s in batches of "
        f"{settings.questions('shared')});\n"
        f"{epoch['triples']:.1f} s as 126,500 triples of two pairs each; "
        f"{2 * epoch['triples']:.1f} s if every pair had a triple of its own."
    )
    print("\nBounds")
    print_bounds(summary)
