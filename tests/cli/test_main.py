import os
import subprocess
import sys
from pathlib import Path

import pytest

from keras_qa.cli import main as cli
from keras_qa.version import __version__
from support.new_process import run_code

DATA = Path(__file__).parents[1] / "data"


def test_audit_of_a_collection(capsys):
    assert cli.main(["data", "audit", "semeval", "--data-dir", str(DATA)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Data set: semeval\n")
    assert "HyperQA, Table 1, column SemEvalCQA" in printed


def test_audit_of_the_user_s_files(capsys):
    arguments = ["data", "audit", "--train", str(DATA / "user/pairs.csv")]
    arguments += ["--test", str(DATA / "user/pairs.jsonl")]
    assert cli.main([*arguments, "--question-id-column", "id"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Data set: user" in lines
    assert "train, test".ljust(20) + "          4        8      8" in lines
    assert lines[-1] == (
        "Attention: train and test share 4 questions, so that figures are too "
        "high."
    )
    assert not any("paper" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give either the NAME of a data set or files of your own"),
        (["semeval", "--train", "x.csv"], "Give either the NAME"),
        (
            ["semeval", "--question-column", "q", "--no-quotes"],
            "--question-column, --no-quotes go with files of your own. Rec",
        ),
        (["semeval", "--tokenizer", "word"], "--tokenizer goes with files"),
        (["semeval", "--group"], "Received: semeval"),
        (
            ["--train", "x.csv", "--data-dir", "data"],
            "--data-dir goes with the NAME of a data set. Received: files of",
        ),
        (["wikiqa", "--data-dir", "/none"], "Try `keras-qa data fetch wikiqa`"),
        (["--dev", "/none.csv"], "`dev` must be a file. Received: /none.csv"),
    ],
)
def test_errors_are_messages(capsys, arguments, message):
    assert cli.main(["data", "audit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("keras-qa: ")
    assert message in captured.err


def test_an_interrupted_command(monkeypatch, capsys):
    def interrupt(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("keras_qa.cli.audit.run", interrupt)
    assert cli.main(["data", "audit"]) == 130
    assert capsys.readouterr().err == "keras-qa: interrupted\n"


def test_a_backend_that_keras_does_not_know(monkeypatch, capsys):
    monkeypatch.setenv("KERAS_BACKEND", "torhc")
    assert cli.main(["data", "audit", "semeval"]) == 2
    assert "one of tensorflow, jax, torch. Received: 'torhc'" in (
        capsys.readouterr().err
    )


def test_letters_that_the_encoding_of_a_terminal_lacks(tmp_path):
    (table := tmp_path / "a.csv").write_text(
        "question,answer,label\ncafé?,yes,1\n", "utf-8"
    )
    code = (
        "import sys; from keras_qa.cli.main import main; main(['data', 'audit',"
        "'--train', sys.argv[1]]); print('caf\\xe9')"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, str(table)],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
    )
    assert printed.stdout.endswith("caf\\xe9\n"), printed.stderr


def test_a_reader_that_has_seen_enough():
    """As in `keras-qa ... | head`."""
    command = [sys.executable, "-m", "keras_qa.cli.main", "data", "audit"]
    process = subprocess.Popen(
        [*command, "semeval", "--data-dir", str(DATA)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


def test_unknown_commands_and_help(capsys):
    for arguments in ([], ["data"]):
        with pytest.raises(SystemExit) as error:
            cli.main(arguments)
        assert error.value.code == 2
    with pytest.raises(SystemExit) as error:
        cli.main(["--version"])
    assert error.value.code == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("imdb", "expected one of insuranceqa-v1, "),
        (str(DATA / "user/pairs.csv"), "a file of your own goes with --train"),
    ],
)
def test_what_is_no_data_set_is_refused(name, expected, capsys):
    with pytest.raises(SystemExit):
        cli.main(["data", "audit", name])
    printed = capsys.readouterr().err
    assert expected in printed
    assert f"Received: {name}" in printed


@pytest.mark.parametrize("command", ["train", "mine"])
@pytest.mark.parametrize("seed", ["-1", "4294967296", "0.5", "9" * 9999])
def test_seeds_are_those_that_can_be_set(command, seed, tmp_path, capsys):
    words = [command, "a.csv", "--output", str(tmp_path / "x"), "--seed", seed]
    with pytest.raises(SystemExit) as error:
        cli.main(words)
    assert error.value.code == 2
    message = "argument --seed: expected a whole number from 0 to 4294967295. "
    assert f"{message}Received: {seed[:9]}" in capsys.readouterr().err
    parser = cli.make_parser([command])
    assert parser.parse_args([*words[:-1], "4294967295"]).seed == 2**32 - 1


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("rank", "--top"), ("ask", "--top"), ("ask", "--depth")),
        *(("mine", "--candidates"), ("mine", "--questions")),
        *(("index", "--shards"), ("index", "--workers")),
        *(("evaluate", "--top"), ("demo", "--limit"), ("demo", "--port")),
        *(("serve", "--port"), ("serve", "--workers")),
        ("serve", "--max-waiting"),
    ],
)
def test_numbers_are_checked_as_they_are_read(command, option, capsys):
    wrong = "65536" if option == "--port" else "0"
    with pytest.raises(SystemExit) as error:
        cli.main([command, "a", option, wrong])
    assert error.value.code == 2
    message = f"argument {option}: expected a whole number "
    assert message in (printed := capsys.readouterr().err)
    assert printed.endswith(f"Received: {wrong}\n")


@pytest.mark.parametrize("number", ["0", "-1", "0.5", "x"])
def test_a_length_is_above_0(number, tmp_path, capsys):
    words = ["train", "a.csv", "--output", str(tmp_path / "x")]
    with pytest.raises(SystemExit) as error:
        cli.main([*words, "--max-answer-length", number])
    assert error.value.code == 2
    message = "argument --max-answer-length: expected a whole number from 1."
    assert f"{message} Received: {number}" in capsys.readouterr().err


def test_data_commands_do_not_import_keras():
    code = (
        "import sys; from keras_qa.cli.main import main\n"
        "assert not main(['data', 'audit', 'semeval', *sys.argv[1:]])"
    )
    run_code(code, "--data-dir", DATA, without=("keras", "tensorflow"))


@pytest.mark.parametrize("command", ["attention", "export", "index", "rank"])
def test_help_offers_the_forms_that_a_command_takes(command, capsys):
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    offered = "SavedModel, ONNX folder" in " ".join(
        capsys.readouterr().out.split()
    )
    assert offered == (command == "rank")


def test_an_unknown_option_shows_the_usage_of_its_command(capsys):
    for words, usage in (
        (["train", "a.csv", "--output", "x"], "keras-qa train"),
        (["data", "fetch", "wikiqa"], "keras-qa data fetch"),
    ):
        with pytest.raises(SystemExit):
            cli.main([*words, "--recpe", "quick"])
        error = capsys.readouterr().err
        assert error.startswith(f"usage: {usage} ")
        assert error.endswith("unrecognized arguments: --recpe quick\n")
