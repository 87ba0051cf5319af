"""What a record says of the machine that it was measured on."""

import platform

from reproductions.harness.parts import versions as parts
from reproductions.harness.parts.versions import processor
from reproductions.harness.parts.versions import versions

CPU_INFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1

processor\t: 1
"""


def test_processors_of_one_name_are_told_apart(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text(CPU_INFO)
    assert processor(info) == "AMD EPYC, cpu family 25, model 17"
    info.write_text(CPU_INFO.replace("17", "1"))
    assert processor(info) == "AMD EPYC, cpu family 25, model 1"


def test_without_the_file_of_linux_the_platform_is_asked(tmp_path):
    expected = platform.processor() or platform.machine()
    assert processor(tmp_path / "missing") == expected
    empty = tmp_path / "empty"
    empty.write_text("")
    assert processor(empty) == expected


def test_a_run_names_its_processor():
    assert versions()["processor"] == processor()


def test_a_commit_is_read_once(monkeypatch):
    first = versions().get("commit")
    monkeypatch.setattr(parts, "_git", lambda *arguments: "1234567-dirty")
    assert versions().get("commit") == first
