import gzip
import hashlib
import threading
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer

import pytest

from keras_qa.cli import fetch as fetch_command
from keras_qa.cli import main as cli
from keras_qa.datasets import download
from keras_qa.datasets.download import fetch
from keras_qa.datasets.download import load_catalogue
from keras_qa.datasets.download import target_folder
from keras_qa.datasets.registry import FOLDERS
from keras_qa.datasets.resuming import ResumingDownloader
from keras_qa.errors import DatasetError

CONTENT = bytes(range(256)) * 2000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT under any path; cuts connections as it is told."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges = []
        self.cuts = []
        self.knows_ranges = True
        self.status = None
        self.content = CONTENT

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.ranges.append(wanted)
        if server.status:
            self.send_error(server.status)
            return
        start = 0
        if wanted and server.knows_ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        body = server.content[start:]
        self.send_response(206 if start else 200)
        if start:
            size = len(server.content)
            self.send_header(
                "Content-Range", f"bytes {start}-{size - 1}/{size}"
            )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: server.cuts.pop(0) if server.cuts else None])

    def log_message(self, *arguments):
        """Stay silent."""


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def catalogue(server):
    """A catalogue with one file to download and one to get by hand."""
    return {
        "YahooQA": {
            "licence": "for research",
            "base_url": server.url,
            "files": [
                {"path": "a/b.txt", "size": len(CONTENT), "sha256": DIGEST}
            ],
            "manual": [
                {"path": "env.pkl", "source": "the author", "reason": "none"}
            ],
        }
    }


def names(folder):
    return sorted(
        str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()
    )


def test_downloads_and_names_what_is_left(tmp_path, catalogue, server):
    missing = fetch("yahooqa", tmp_path, catalogue)
    folder = tmp_path / "YahooQA"
    assert (folder / "a/b.txt").read_bytes() == CONTENT
    assert names(folder) == ["a/b.txt"]
    assert [(m.path, m.source) for m in missing] == [
        (folder / "env.pkl", "the author")
    ]
    (folder / "env.pkl").touch()
    assert fetch("yahooqa", tmp_path, catalogue) == []
    assert server.ranges == [None]


def test_an_interrupted_connection_is_resumed(tmp_path, catalogue, server):
    server.cuts = [100_000, 50_000]
    fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert (tmp_path / "YahooQA/a/b.txt").read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-", "bytes=150000-"]


def test_a_later_call_continues(tmp_path, catalogue, server):
    server.cuts = [100_000, 0, 0, 0]
    first, _ = fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert "the download failed" in first.reason
    assert first.source == f"{server.url}a/b.txt"
    folder = tmp_path / "YahooQA"
    assert names(folder) == ["a/b.txt.part"]
    assert (folder / "a/b.txt.part").stat().st_size == 100_000
    server.cuts = []
    fetch("yahooqa", tmp_path, catalogue)
    assert (folder / "a/b.txt").read_bytes() == CONTENT
    assert names(folder) == ["a/b.txt"]
    assert server.ranges[-1] == "bytes=100000-"


def test_a_server_without_ranges_starts_again(tmp_path, catalogue, server):
    server.cuts = [100_000]
    server.knows_ranges = False
    fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert (tmp_path / "YahooQA/a/b.txt").read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-"]


def test_a_wrong_beginning_is_downloaded_again(tmp_path, catalogue, server):
    part = tmp_path / "YahooQA/a/b.txt.part"
    part.parent.mkdir(parents=True)
    for stale in (b"x" * 1000, b"x" * len(CONTENT), b"x" * 10**6):
        part.write_bytes(stale)
        (env,) = fetch("yahooqa", tmp_path, catalogue, pause=0)
        assert env.path.name == "env.pkl"
        assert names(tmp_path / "YahooQA") == ["a/b.txt"]
        (tmp_path / "YahooQA/a/b.txt").unlink()


def test_a_wrong_checksum_leaves_nothing(tmp_path, catalogue, server):
    server.content = b"x" * len(CONTENT)
    file, _ = fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert file.reason == "what was downloaded has another checksum"
    assert names(tmp_path) == []


def test_a_wrong_size_is_not_downloaded(tmp_path, catalogue, server):
    server.content = CONTENT * 2
    file, _ = fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert "offered: 1024000" in file.reason
    assert names(tmp_path) == []


def test_a_refusal_is_not_repeated(tmp_path, catalogue, server):
    server.status = 404
    file, _ = fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert "404" in file.reason
    assert len(server.ranges) == 1
    assert names(tmp_path) == []


def test_an_unreachable_server_is_tried_for_one_file(tmp_path, catalogue):
    entry = catalogue["YahooQA"]
    entry["base_url"] = "http://127.0.0.1:9/"
    entry["files"] *= 3
    *files, _ = fetch("yahooqa", tmp_path, catalogue, pause=0)
    assert len(files) == 3
    assert all("the download failed" in file.reason for file in files)


def test_files_that_are_there_are_checked_and_kept(tmp_path, catalogue, server):
    folder = tmp_path / "YahooQA/a"
    folder.mkdir(parents=True)
    (folder / "b.txt.gz").write_bytes(gzip.compress(CONTENT))
    (env,) = fetch("yahooqa", tmp_path, catalogue)
    assert env.path.name == "env.pkl"
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"my own"))
    file, _ = fetch("yahooqa", tmp_path, catalogue)
    assert file.path == folder / "b.txt.gz"
    assert "another checksum; move it away first" in file.reason
    (folder / "b.txt.gz").write_bytes(gzip.compress(CONTENT)[:-4])
    file, _ = fetch("yahooqa", tmp_path, catalogue)
    assert "cannot be read" in file.reason
    assert server.ranges == []


def test_progress_earns_another_attempt(tmp_path, server):
    server.cuts = [70_000, 0]
    downloader = ResumingDownloader(
        tmp_path / "x.part", len(CONTENT), attempts=2, pause=0
    )
    downloader(server.url, tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert not (tmp_path / "x.part").exists()


def test_command_says_what_to_get(tmp_path, monkeypatch, capsys, catalogue):
    for module in (download, fetch_command):
        monkeypatch.setattr(module, "load_catalogue", lambda: catalogue)
    arguments = ["data", "fetch", "yahooqa", "--data-dir", str(tmp_path)]
    assert cli.main(arguments) == 1
    printed = capsys.readouterr().out
    assert "Licence: for research" in printed
    env = tmp_path / "YahooQA/env.pkl"
    assert f"Not fetched: {env}\n  because none.\n" in printed
    assert "Get env.pkl from the author\n  and put it there" in printed
    env.touch()
    assert cli.main(arguments) == 0
    assert "All files are there." in capsys.readouterr().out


def test_sample_needs_no_download(capsys):
    assert cli.main(["data", "fetch", "sample"]) == 0
    assert "part of the package" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["sample", "imdb"])
def test_unknown_names(tmp_path, name):
    with pytest.raises(DatasetError, match=r"`name` must be one of \['wikiqa'"):
        fetch(name, tmp_path)


def test_target_folder(tmp_path):
    assert target_folder("wikiqa", tmp_path) == tmp_path / "WikiQA"
    assert target_folder("wikiqa", tmp_path / "WikiQA").parent == tmp_path


def test_catalogue_is_complete_and_pinned():
    catalogue = load_catalogue()
    assert set(catalogue) == set(FOLDERS.values()) - {"sample"}
    for entry in catalogue.values():
        assert entry["licence"]
        for file in entry["files"]:
            assert entry["base_url"].startswith("https://")
            assert len(file["sha256"]) == 64
            assert file["size"] > 0
        for file in entry["manual"]:
            assert file["source"].startswith("https://")
            assert file["reason"]


def test_only_what_a_data_set_needs_is_asked_for(tmp_path, catalogue):
    entry = catalogue["YahooQA"] | {"files": []}
    entry["manual"] = [entry["manual"][0] | {"only_for": "trecqa-all"}]
    for name, count in {"trecqa-raw": 0, "trecqa-all": 1}.items():
        assert len(fetch(name, tmp_path, {"TrecQA": entry})) == count


def test_a_file_may_lie_in_another_place(tmp_path):
    folder = tmp_path / "InsuranceQA"
    names = [m.path.name for m in fetch("insuranceqa-v1", tmp_path)]
    assert len(names) == 6
    assert {m.path.name for m in fetch("insuranceqa-v2", tmp_path)} & set(
        names
    ) == {"vocabulary"}
    for place, name in zip([folder, folder / "V1"], names, strict=False):
        place.mkdir(exist_ok=True)
        (place / f"{name}.gz").write_bytes(gzip.compress(b""))
    left = fetch("insuranceqa-v1", tmp_path)
    assert [m.path for m in left] == [folder / "V1" / n for n in names[2:]]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("wikiqa-full", "WikiQA/full/WikiQA-test.tsv"),
        ("trecqa-all", "TrecQA/train-all/a.toks"),
        ("yahooqa", "YahooQA/data/env.pkl"),
    ],
)
def test_files_are_found_where_they_are_read(name, place, tmp_path):
    (tmp_path / place).parent.mkdir(parents=True)
    before = {file.path.name for file in fetch(name, tmp_path, _offline())}
    (tmp_path / place).touch()
    after = {file.path.name for file in fetch(name, tmp_path, _offline())}
    assert len(before - after) == 1
    assert "a.toks" not in before


def _offline():
    """The catalogue without the files that are downloaded."""
    return {
        home: entry | {"files": []} for home, entry in load_catalogue().items()
    }


def test_real_files_have_the_catalogue_s_checksums(real_data):
    for name in ("wikiqa", "semeval"):
        for file in fetch(name, real_data):
            assert "checksum of this file" in file.reason or (
                "inside an archive" in file.reason
            )
    (test,) = fetch("trecqa-raw", real_data)
    assert test.path.name == "TEST.xml"
