"""Tables, paragraphs and notes of the generated pages."""

from reproductions.report import markdown


def test_cells_are_one_line_and_keep_their_bars():
    text = markdown.table(["a", "b"], [["x | y", "two\nlines"]])
    assert text == "| a | b |\n| --- | --- |\n| x \\| y | two lines |\n"


def test_empty_columns_are_left_out():
    text = markdown.dense_table(["a", "b", "c"], [["1", "", "3"], ["", "", ""]])
    assert text.splitlines()[0] == "| a | c |"
    assert text.splitlines()[2:] == ["| 1 | 3 |", "|  |  |"]


def test_a_table_wider_than_a_screen_is_a_list():
    rows = [["one", "word " * 30]]
    assert markdown.table_or_list(["a", "b"], [["1", "2"]]).startswith("| a |")
    lines = markdown.table_or_list(["a", "b"], rows).splitlines()
    assert lines[0] == "- **one**"
    assert lines[1].startswith("  - b: word word")
    assert lines[2].startswith("    word")
    assert max(map(len, lines)) <= markdown.WIDTH


def test_paragraphs_are_filled():
    text = markdown.paragraph("\n" + "word " * 30 + "\n\nlast\n")
    first, second = text.split("\n\n")
    assert [len(line) for line in first.splitlines()] == [99, 49]
    assert second == "last\n"
    # A plus at the start of a line would begin a list.
    lines = markdown.paragraph("word " * 19 + "`aaa` + `b`").splitlines()
    assert lines[1] == "`aaa` + `b`"


def test_long_texts_have_letters():
    notes = markdown.Notes()
    assert notes.listed() == []
    assert notes.cell("short") == "short"
    texts = [f"a longer text than a cell, {number}" for number in range(28)]
    cells = [notes.cell(text) for text in texts]
    assert cells[:2] == ["(a)", "(b)"]
    assert cells[-2:] == ["(aa)", "(bb)"]
    # The same text, the same letter.
    assert notes.cell(texts[1]) == "(b)"
    (listed,) = notes.listed()
    assert listed.splitlines()[1] == f"- (b) {texts[1]}"
    assert len(listed.splitlines()) == 28
    # Nothing needs no letter, whatever the limit.
    assert notes.cell("", longest=0) == ""


def test_halves_of_a_typed_figure_are_rounded_away_from_zero():
    assert f"{0.6455:.3f}" == "0.645"
    assert markdown.typed(0.6455, 3) == "0.646"
    assert markdown.typed(0.7, 3) == "0.700"
