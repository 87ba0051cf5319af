"""Fuzzes every reader and loader, and prints a table: `make fuzz`.

Each target runs in a separate process. Inputs with findings are kept, and the
exit code is then 1.
"""

import argparse
import hashlib
import multiprocessing
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from devtools.fuzz import guided
from devtools.fuzz.cases import all_targets
from devtools.fuzz.cases import inputs_of
from devtools.fuzz.running import Finding
from devtools.fuzz.running import Tally
from devtools.fuzz.running import limit_addresses
from devtools.fuzz.running import outcome
from devtools.fuzz.running import run_target
from devtools.fuzz.target import Target

_HUNG = 3600
"""Seconds after which a process is taken for hung."""

_ROW = "{:<24}{:>9}{:>9}{:>9}{:>9}{:>12}{:>10}"


def main(argv: list[str] | None = None) -> int:
    """Fuzzes; returns the exit code."""
    targets = all_targets()
    parser = argparse.ArgumentParser(
        prog="python -m devtools.fuzz", description=__doc__
    )
    parser.add_argument(
        "--target",
        action="append",
        choices=sorted(targets),
        help="only this one; may be repeated",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="times the usual number of inputs; default: %(default)s",
    )
    parser.add_argument(
        "--guided",
        type=int,
        default=1000,
        metavar="RUNS",
        help="inputs of each parser that are guided by coverage, if atheris "
        "is installed; default: %(default)s",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path("runs/fuzz"),
        metavar="FOLDER",
        help="where findings are kept; default: %(default)s",
    )
    arguments = parser.parse_args(argv)
    chosen = [targets[name] for name in arguments.target or targets]
    print(_ROW.format(*_HEAD), flush=True)
    tallies = []
    for target in chosen:
        count = max(1, round(arguments.scale * target.inputs))
        tallies.append(_in_process(target, count, arguments.seed))
        _show(tallies[-1], arguments.keep)
    if arguments.guided and guided.available():
        for target in chosen:
            if target.guided:
                tally = _guided(target, arguments.guided, arguments.keep)
                tallies.append(tally)
                _show(tally, arguments.keep)
    elif arguments.guided:
        print(f"(not guided by coverage: {guided.INSTALL})")
    total = Tally(
        "all",
        inputs=sum(t.inputs for t in tallies),
        data=sum(t.data for t in tallies),
        errors=sum(t.errors for t in tallies),
        seconds=sum(t.seconds for t in tallies),
        memory=max(t.memory for t in tallies),
        findings=[finding for t in tallies for finding in t.findings],
    )
    _show(total, None)
    return 1 if total.findings else 0


_HEAD = ("", "inputs", "data", "errors", "findings", "CPU seconds", "MiB")


def _in_process(target: Target, count: int, seed: int) -> Tally:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_run, args=(target, count, seed, sender), daemon=True
    )
    process.start()
    sender.close()
    tally = Tally(target.name)
    try:
        if receiver.poll(_HUNG):
            tally = receiver.recv()
        else:
            tally.findings.append(Finding(f"hung for {_HUNG} seconds", {}))
    except EOFError:
        process.join()
        what = f"the process ended with code {process.exitcode}"
        tally.findings.append(Finding(what, {}))
    finally:
        process.kill()
        process.join()
    return tally


def _run(target: Target, count: int, seed: int, sender: Connection) -> None:
    tally = Tally(target.name)
    with tempfile.TemporaryDirectory() as folder:
        # Imports first: they may take more addresses than any input.
        outcome(target, target.case(), Path(folder))
        limit_addresses()
        run_target(target, inputs_of(target, count, seed), Path(folder), tally)
    sender.send(tally)


def _guided(target: Target, runs: int, keep: Path) -> Tally:
    keep.mkdir(parents=True, exist_ok=True)
    tally = Tally(f"{target.name}, guided", memory=float("nan"))
    started = time.perf_counter()
    tally.inputs, wrong = guided.start(target.name, runs, keep)
    tally.seconds = time.perf_counter() - started
    if wrong:
        tally.findings.append(Finding(wrong, {}))
    return tally


def _show(tally: Tally, keep: Path | None) -> None:
    guided_only = not (tally.data or tally.errors)
    print(
        _ROW.format(
            tally.name,
            tally.inputs,
            "" if guided_only else tally.data,
            "" if guided_only else tally.errors,
            len(tally.findings),
            f"{tally.seconds:.1f}",
            f"{tally.memory / 2**20:.1f}",
        ),
        flush=True,
    )
    if keep is None:
        return
    for finding in tally.findings[:10]:
        print(f"  {finding.what.strip()}", file=sys.stderr)
        for name, data in finding.case.items():
            digest = hashlib.sha256(data).hexdigest()[:12]
            path = keep / f"{tally.name.replace(' ', '-')}-{digest}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"  kept: {path}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
