"""Answers of a collection: reading them from a file, and storing them."""

import errno
import hashlib
import itertools
import json
import threading
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any
from typing import Generic
from typing import TypeVar

import numpy as np

from keras_qa.datasets.columns import Columns
from keras_qa.datasets.columns import checked_columns
from keras_qa.datasets.ids import id_text
from keras_qa.datasets.mined import COLUMNS
from keras_qa.datasets.table_records import table_records
from keras_qa.errors import MissingColumnError
from keras_qa.errors import SearchError
from keras_qa.files.checks import parse_json
from keras_qa.files.text_files import PACKED
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import write_whole

T = TypeVar("T")


def _mapped() -> int:
    """Half of the files that the process may open, 1,024 on most systems."""
    try:
        import resource
    except ImportError:
        return 512
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if most == resource.RLIM_INFINITY else max(1, most // 2)


# Number of shards whose vectors stay mapped into memory, each by an open file.
MAPPED = _mapped()


# Endings of tables, of which answers are one column.
_TABLES = ([".csv"], [".jsonl"], [".ndjson"], [".parquet"])


class _AnswerColumns(Columns):
    """The columns that are read of a table."""

    @property
    def names(self) -> list[str]:
        return [n for n in (self.answer, self.answer_id) if n is not None]

    def how_to_name(self, name: str) -> str:
        other = "or a file of another form, with a text on each line"
        return f"{super().how_to_name(name)}, {other}"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a collection.

    Attributes:
        id: its identifier.
        text: its text, as read.
    """

    id: str
    text: str


def read_answers(
    path: str | Path,
    encoding: str | None = "utf-8",
    *,
    columns: Columns | None = None,
    quoted: bool = True,
    delimiter: str | None = None,
) -> Iterator[Answer]:
    """Streams the answers of a file, plain, `.gz` or `.bz2`.

    Each line of a `.tsv` file is an id, a tab and a text. Of a table, which
    is a `.csv`, `.jsonl`, `.ndjson` or `.parquet`, or a `.tsv` with a header,
    the different texts of the column `answer` are read, with the ids of the
    column `answer_id` if the header, or the first of JSON lines, has one. Each
    line of any other file is a text, unless tabs part names on its first line,
    'answer' among them.
    With other names of columns, or a delimiter, the file is a table.
    Where there are no ids, the id is the line's number, from 1. Lines without
    text are skipped. `check_answers` checks ids for repetitions.

    Args:
        path: the file.
        encoding: see `keras_qa.files.text_files.read_lines`.
        columns: names of the columns of a table, of which `answer` and
            `answer_id` are read.
        quoted: see `keras_qa.datasets.tabular.read_tabular`.
        delimiter: see there.

    Yields:
        The answers in the order of the file.

    Raises:
        DatasetError: if the file cannot be read, `columns` is no `Columns`, a
            table has no column of answers, or a line has no tab or no id where
            the others have one, or several tabs.
        ImportError: if a Parquet file is given without pyarrow.
    """
    named = checked_columns(columns)
    options = _Options(encoding, named, quoted, delimiter)
    return (answer for _, answer in _numbered(Path(path), options))


def check_answers(path: str | Path, **options: Any) -> None:
    """Checks that a file of answers can be read, and that its ids differ.

    Of each answer, 8 bytes are in memory; of each text of a table, a digest
    of 16 bytes, too.

    Args:
        path: the file.
        **options: further arguments of `read_answers`.

    Raises:
        DatasetError: see `read_answers`; or if two answers have the same id.
        ImportError: see `read_answers`.
    """
    path = Path(path)
    ids = (hash(answer.id) for answer in read_answers(path, **options))
    hashes = np.fromiter(ids, np.int64)
    hashes.sort()
    repeated = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
    if not repeated:
        return
    # Different ids may have the same hash.
    lines: dict[str, int] = {}
    options["columns"] = checked_columns(options.get("columns"))
    for line, answer in _numbered(path, _Options(**options)):
        if hash(answer.id) not in repeated:
            continue
        first = lines.setdefault(answer.id, line)
        if first != line:
            raise error_at(
                path,
                line,
                f"an id that no other answer has, but line {first} has it: "
                "change one of the two, remove one of the answers, or leave "
                "out all ids, and the numbers of the lines are taken",
                answer.id,
            )


@dataclass(frozen=True)
class _Options:
    encoding: str | None = "utf-8"
    columns: Columns = field(default_factory=Columns)
    quoted: bool = True
    delimiter: str | None = None

    @property
    def of_a_table(self) -> bool:
        """True if the options are those of a table, whatever its name."""
        named = self.columns.answer, self.columns.answer_id
        usual = Columns().answer, Columns().answer_id
        return self.delimiter is not None or named != usual


def _numbered(path: Path, options: _Options) -> Iterator[tuple[int, Answer]]:
    """The answers with the numbers of their lines."""
    suffix = [s.lower() for s in path.suffixes if s not in PACKED][-1:]
    if suffix in _TABLES or options.of_a_table:
        yield from _answers_of_table(path, options)
        return
    has_ids = suffix == [".tsv"]
    first = True
    for number, line in read_lines(path, options.encoding):
        if not line.strip():
            continue
        # In a text without columns, the word alone is an answer.
        if first and (has_ids or "\t" in line) and _is_header(line, options):
            yield from _answers_of_table(path, options)
            return
        first = False
        if not has_ids:
            yield number, Answer(str(number), line)
            continue
        id, tab, text = line.partition("\t")
        if not tab or not id.strip():
            raise error_at(path, number, "an id, a tab and a text", line)
        if "\t" in text:
            raise error_at(
                path,
                number,
                "an id, a tab and a text, or else a first line with the names "
                "of the columns, 'answer' among them, or its name by "
                "`Columns(answer=...)`, --answer-column",
                line,
            )
        if text.strip():
            yield number, Answer(id, text)


def _is_header(line: str, options: _Options) -> bool:
    """True if one of the names between tabs is that of the answers."""
    around = ' "' if options.quoted else " "
    fields = line.casefold().split("\t")
    return "answer" in (field.strip(around) for field in fields)


def _answers_of_table(
    path: Path, options: _Options
) -> Iterator[tuple[int, Answer]]:
    """Each text once, which often is a candidate of several questions."""
    given = options.columns
    columns = _AnswerColumns(
        question="",
        answer=given.answer,
        label=None,
        answer_id=given.answer_id or COLUMNS.answer_id,
    )
    as_written = options.quoted, options.delimiter, options.encoding
    records = table_records(path, columns, *as_written)
    try:
        first = [*itertools.islice(records, 1)]
    except MissingColumnError:
        if given.answer_id is not None:
            raise
        columns, first = replace(columns, answer_id=None), []
        records = table_records(path, columns, *as_written)
    read: set[bytes] = set()
    for line, record in itertools.chain(first, records):
        text = record[columns.answer]
        text = check_text(path, line, f"`{columns.answer}`", text)
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        if not text.strip() or digest in read:
            continue
        read.add(digest)
        id = str(line)
        if columns.answer_id is not None:
            name = columns.answer_id
            id = id_text(path, line, f"`{name}`", record[name])
            if not id.strip():
                raise error_at(path, line, f"an id in `{name}`", id)
        elif COLUMNS.answer_id in record:
            raise error_at(
                path,
                line,
                f"no `{COLUMNS.answer_id}`, which the first line does not have",
                record[COLUMNS.answer_id],
            )
        yield line, Answer(id, text)


class MappedShards(Generic[T]):
    """The shards whose files stay open: the `MAPPED` opened last.

    Threads may share it.
    """

    def __init__(self) -> None:
        self._found: dict[int, T] = {}
        self._lock = threading.Lock()

    def get(self, number: int, load: Callable[[int], T]) -> T:
        """The shard of a number, which `load` opens if it is not open."""
        with self._lock:
            found = self._found.get(number)
        if found is None:
            found = load(number)
            with self._lock:
                while len(self._found) >= MAPPED:
                    del self._found[next(iter(self._found))]
                self._found[number] = found
        return found


class AnswerShards:
    """Answers and their vectors on disk, in shards, each an atomic folder.

    Args:
        folder: the folder of the shards.
        size: number of answers of each shard; the last one may have fewer.
    """

    def __init__(self, folder: Path, size: int):
        self.folder = folder
        self.size = size
        self._vectors = MappedShards[np.ndarray]()

    def path(self, number: int) -> Path:
        """The folder of a shard."""
        return self.folder / f"{number:06d}"

    def count(self) -> int:
        """The number of existing shards before the first gap."""
        return next(n for n in itertools.count() if not self.path(n).is_dir())

    def numbers(self) -> list[int]:
        """The numbers of the existing shards, in no order."""
        return [int(path.name) for path in self.folder.glob("[0-9]*")]

    def holds(self, number: int, answers: Iterable[Answer]) -> bool:
        """Returns True if an existing shard has exactly these answers."""
        path = self.path(number) / "answers.jsonl"
        return path.is_file() and path.read_bytes() == b"".join(_lines(answers))

    def write(
        self, number: int, answers: list[Answer], vectors: np.ndarray
    ) -> None:
        """Writes a shard atomically; `vectors` are stored as float32."""
        self.write_arrays(number, answers, vectors=vectors.astype(np.float32))

    def write_arrays(
        self, number: int, answers: list[Answer], **arrays: np.ndarray
    ) -> None:
        """Writes a shard of answers and arrays atomically."""
        lines = _lines(answers)
        offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)

        def save(path: Path) -> None:
            path.mkdir()
            for name, array in {**arrays, "offsets": offsets}.items():
                np.save(path / f"{name}.npy", array)
            (path / "answers.jsonl").write_bytes(b"".join(lines))

        write_whole(self.path(number), save)

    def block(self, number: int) -> np.ndarray:
        """The vectors of a shard, float32 `(n, dim)`, mapped into memory.

        Raises:
            SearchError: if the file of the vectors is damaged.
        """
        return self._vectors.get(number, self._mapped_vectors)

    def _mapped_vectors(self, number: int) -> np.ndarray:
        path = self.path(number) / "vectors.npy"
        vectors = mapped_array(path, np.dtype(np.float32), 2)
        if len(vectors) > self.size:
            raise SearchError(
                f"{path}: expected at most {self.size} vectors. "
                f"Received: {len(vectors)}"
            )
        return vectors

    def blocks(self) -> Iterator[np.ndarray]:
        """The vectors of all shards, one shard after the other."""
        return map(self.block, range(self.count()))

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of answers.

        Args:
            rows: numbers of answers, from 0, in ascending order, int64 `(n,)`.

        Returns:
            float32 `(n, dim)`.

        Raises:
            SearchError: if a shard is damaged, or lacks one of the answers.
        """
        shards, places = np.divmod(rows, self.size)
        numbers, first = np.unique(shards, return_index=True)
        dim = self.block(0).shape[1]
        found = [np.zeros((0, dim), np.float32)]
        for number, chosen in zip(
            numbers, np.split(places, first[1:]), strict=True
        ):
            block = self.block(int(number))
            if chosen.max() >= len(block) or block.shape[1] != dim:
                raise SearchError(
                    f"{self.path(int(number)) / 'vectors.npy'}: expected "
                    f"more than {chosen.max()} vectors of {dim} numbers. "
                    f"Received: {block.shape}"
                )
            found.append(block[chosen])
            if not np.isfinite(found[-1]).all():
                raise SearchError(
                    f"{self.path(int(number)) / 'vectors.npy'}: expected "
                    "finite vectors. Received: NaN or infinity"
                )
        return np.concatenate(found)

    def answers(self, rows: Iterable[int]) -> list[Answer]:
        """The answers with the given numbers, in the given order.

        Raises:
            SearchError: if a shard is damaged, or lacks one of the answers.
        """
        found = []
        for row in rows:
            shard, place = divmod(int(row), self.size)
            path = self.path(shard)
            offsets = mapped_array(path / "offsets.npy", np.dtype(np.int64), 1)
            size = _answers_file(path).stat().st_size
            if place >= len(offsets) or not 0 <= offsets[place] < size:
                raise SearchError(
                    f"{path / 'offsets.npy'}: expected the place of answer "
                    f"{place}. Received: {shorten(offsets[place:].tolist())} "
                    f"in {size} bytes"
                )
            path = path / "answers.jsonl"
            with path.open("rb") as file:
                file.seek(int(offsets[place]))
                found.append(_answer(path, place + 1, file.readline()))
        return found

    def texts(self) -> Iterator[str]:
        """The texts of all answers, in order.

        Raises:
            SearchError: if a shard is damaged or missing.
        """
        numbers = self.numbers()
        for number in range(max(numbers, default=-1) + 1):
            path = _answers_file(self.path(number))
            with path.open("rb") as lines:
                for place, line in enumerate(lines, start=1):
                    yield _answer(path, place, line).text


def _answers_file(shard: Path) -> Path:
    path = shard / "answers.jsonl"
    if not path.is_file():
        raise SearchError(f"{path}: expected a file. Received: none")
    return path


def _lines(answers: Iterable[Answer]) -> list[bytes]:
    return [
        (json.dumps([a.id, a.text], ensure_ascii=False) + "\n").encode()
        for a in answers
    ]


def mapped_array(path: Path, dtype: np.dtype, ndim: int) -> np.ndarray:
    """The array of a `.npy` file, mapped into memory."""
    try:
        found = np.lib.format.open_memmap(path, mode="r")
        if found.dtype != dtype or found.ndim != ndim:
            raise ValueError(f"{found.dtype} {found.shape}")
    # NumPy raises many types of errors for bad files.
    except Exception as error:
        if getattr(error, "errno", None) == errno.EMFILE:
            # The file is sound.
            raise SearchError(
                f"{path}: expected a process that may open as many files as "
                "its indexes have shards (`ulimit -n`). Received: "
                f"{error}"
            ) from error
        raise SearchError(
            f"{path}: expected an array of {dtype}, {ndim}-dimensional. "
            f"Received: {shorten(str(error))}"
        ) from error
    return found


def _answer(path: Path, line: int, raw: bytes) -> Answer:
    place = f"{path}:{line}"
    return Answer(*parse_json(raw, tuple[str, str], place, SearchError))
