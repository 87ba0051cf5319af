"""Options of commands that train, for several devices and hosts."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keras_qa.cli.options.whole_numbers import positive


def add_device_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--devices`, `--split-embeddings` and `--hosts`."""
    parser.add_argument(
        "--devices",
        type=positive,
        metavar="N",
        help="train on N devices of this machine, with Keras on JAX; the "
        "losses are those of one device",
    )
    parser.add_argument(
        "--split-embeddings",
        action="store_true",
        help="each device keeps a part of the word vectors, not all",
    )
    parser.add_argument(
        "--hosts",
        type=Path,
        metavar="FILE",
        help="train on several machines, each of which runs this command: TOML "
        "with `coordinator`, an address and a port, `processes`, their number, "
        "and `process`, that of this one from 0",
    )


def device_options(arguments: argparse.Namespace) -> list[str]:
    """The options of a command line, for another command."""
    found = ["--split-embeddings"] if arguments.split_embeddings else []
    for name in ("devices", "hosts"):
        value = getattr(arguments, name)
        if value is not None:
            found += [f"--{name}", str(value)]
    return found


@contextmanager
def on_devices(arguments: argparse.Namespace) -> Iterator[None]:
    """Context manager of a training with the options of a command line.

    Raises:
        DevicesError: if the devices or hosts cannot be used.
    """
    devices, file = arguments.devices, arguments.hosts
    if devices is None and file is None and not arguments.split_embeddings:
        yield
        return
    from keras_qa.devices import use_devices
    from keras_qa.hosts import join_hosts
    from keras_qa.hosts import read_hosts

    if file is not None:
        join_hosts(read_hosts(file))
    with use_devices(devices, split_embeddings=arguments.split_embeddings):
        yield
