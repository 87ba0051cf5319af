"""The papers' figures, typed a second time, and malformed ones."""

import pytest

from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import load_papers
from reproductions.records.paper_figures import model_names
from reproductions.records.papers import ResultsTable
from support.report_pages import PAPER
from support.report_pages import RESULTS
from support.report_pages import write_paper


def test_papers_figures_are_those_of_the_paper():
    """The rows of the paper's own model, typed a second time."""
    tables = load_papers()[PAPER].tables
    own = {
        (table.number, table.dataset): row
        for table in tables
        if table.number in {f"Table {n}" for n in range(2, 7)}
        for row in table.rows
        if row.ours == "hyperqa"
    }
    expected = {
        ("Table 2", "wikiqa"): ({"MAP": 0.712, "MRR": 0.727}, 90_000, 2),
        ("Table 3", "yahooqa"): ({"P@1": 0.683, "MRR": 0.801}, 90_000, 20),
        ("Table 4", "semeval"): ({"P@1": 0.809, "MAP": 0.795}, 45_000, 10),
        ("Table 5", "trecqa-raw"): ({"MAP": 0.770, "MRR": 0.825}, 90_000, 12),
        ("Table 6", "trecqa-clean"): (
            {"MAP": 0.784, "MRR": 0.865},
            90_000,
            12,
        ),
    }
    assert {
        key: (row.metrics, row.parameters, row.seconds)
        for key, row in own.items()
    } == expected
    assert [len(table.rows) for table in tables] == [
        *(6, 11, 12, 8, 14, 5, 5, 6, 6),
    ]


def test_papers_figures_of_ctrn_are_those_of_the_paper():
    """The rows of the models of that paper, typed a second time."""
    paper = load_papers()["ctrn"]

    def rows(number):
        return {
            row.ours: tuple(row.metrics.values())
            for row in paper.table(number).rows
            if row.ours in paper.models
        }

    # YahooQA: P@1 and MRR; QatarLiving: P@1 and MAP; TrecQA: MAP and MRR.
    assert rows("Table 4") == {
        "bm25": (0.225, 0.493),
        "cnn": (0.413, 0.632),
        "lstm": (0.465, 0.669),
        "ap-cnn": (0.560, 0.726),
        "ap-bilstm": (0.568, 0.731),
        "qrnn": (0.573, 0.736),
        "ctrn": (0.601, 0.755),
    }
    assert rows("Table 5") == {
        "ap-cnn": (0.755, 0.771),
        "qrnn": (0.758, 0.783),
        "ctrn": (0.788, 0.794),
    }
    assert rows("Table 6, TRAIN") == {
        "cnn": (0.7000, 0.7469),
        "lstm": (0.7007, 0.7777),
        "qrnn": (0.7000, 0.7859),
        "ctrn": (0.7582, 0.8233),
    }
    assert rows("Table 6, TRAIN-ALL") == {
        "cnn": (0.7216, 0.7899),
        "lstm": (0.7350, 0.8064),
        "qrnn": (0.7609, 0.8227),
        "ctrn": (0.7712, 0.8384),
    }
    assert [len(table.rows) for table in paper.tables] == [
        *(1, 4, 6, 11, 8, 9, 9, 16),
    ]
    last = paper.table("Table 7").rows
    assert [(row.model, *row.metrics.values()) for row in last[-2:]] == [
        ("CTRN (TRAIN)", 0.7582, 0.8233),
        ("CTRN (TRAIN-ALL)", 0.7712, 0.8384),
    ]


def test_papers_figures_of_qa_lstm_are_those_of_the_paper():
    """The rows of that paper's tables, typed a second time."""
    paper = load_papers()["qa_lstm"]
    rows = {
        row.name: tuple(row.metrics.values())
        for number in ("Table 3", "Table 4")
        for row in paper.table(number).rows
        if row.name
    }
    # Table 3: accuracy in percent on Validation, Test1, Test2.
    assert list(rows.values())[:18] == [
        (31.9, 32.1, 32.2),
        (52.7, 55.1, 50.8),
        (61.8, 62.8, 59.2),
        (65.4, 65.3, 61.0),
        (54.8, 53.6, 51.0),
        (55.0, 55.7, 52.4),
        (64.3, 63.1, 58.0),
        (66.6, 66.6, 63.7),
        (66.2, 64.6, 62.2),
        (66.4, 67.4, 63.5),
        (67.8, 67.5, 64.4),
        (66.0, 66.1, 63.0),
        (67.1, 67.6, 64.4),
        (61.6, 62.2, 57.9),
        (62.3, 63.3, 60.2),
        (68.4, 68.1, 62.2),
        (68.4, 67.8, 63.2),
        (68.9, 69.0, 64.8),
    ]
    assert "".join(name[1] for name in list(rows)[4:18]) == "ABCDEFGHIJKLMN"
    # Table 4: MAP and MRR.
    assert {name: rows[name] for name in list(rows)[18:]} == {
        "4-cnn": (0.711, 0.800),
        "4A": (0.714, 0.807),
        "4B": (0.733, 0.819),
        "4C": (0.742, 0.819),
        "4D": (0.737, 0.827),
        "4E": (0.753, 0.830),
    }
    assert [len(table.rows) for table in paper.tables] == [1, 2, 18, 13]
    assert paper.table("Table 2").rows == (
        ("# of Qs", "12887", "1000", "1800", "1800"),
        ("# of As", "18540", "1454", "2616", "2593"),
    )


def test_papers_figures_of_iam_are_those_of_the_paper():
    """The rows of Table 1 that are of our models, typed a second time."""
    paper = load_papers()["iam"]
    results = [t for t in paper.tables if t.number.startswith("Table 1")]
    assert [t.dataset for t in results] == ["trecqa-clean", "wikiqa", "yahoo"]
    rows = {
        row.ours: [t.rows[place].metrics for t in results]
        for place, row in enumerate(results[0].rows)
        if row.ours and not row.ours.startswith("systems:")
    }
    assert {
        model: [(m["MRR"], m["MAP"]) for m in metrics]
        for model, metrics in rows.items()
    } == {
        "qa_lstm:qa-lstm": [
            *((0.8322, 0.7111), (0.7045, 0.6821), (0.6468, 0.6157)),
        ],
        "ctrn:ap-cnn": [(0.8511, 0.7530), (0.6957, 0.6886), (0.6489, 0.6047)],
        "cross-encoder": [(0.8827, 0.8263), (0.7592, 0.7457), (0.7218, 0.6792)],
        "iam-bert": [(0.8951, 0.8426), (0.7631, 0.7520), (0.7362, 0.6831)],
    }
    assert [len(table.rows) for table in paper.tables] == [
        *(11, 11, 11, 1, 2, 2),
    ]


def test_papers_figures_of_mrnn_are_those_of_the_paper():
    """The rows of our models, and the best others, typed again."""
    papers = load_papers()
    results = [t for t in papers["mrnn"].tables if isinstance(t, ResultsTable)]
    assert [(t.number, t.dataset, t.split) for t in results] == [
        ("Table 4", "squad", "dev"),
        ("Table 5", "wikiqa", "test"),
        ("Table 6", "quasar-t", "test"),
        ("Table 7", "trecqa-clean", "test"),
    ]
    figures = {
        (table.number, row.ours or row.model): tuple(row.metrics.values())
        for table in results
        for row in table.rows
    }
    models = papers["mrnn"].models
    ours = {
        key: value
        for key, value in figures.items()
        if key[1] in models or key[1].startswith(("ctrn:", "qa_lstm:"))
    }
    assert ours == {
        ("Table 4", "mrnn"): (80.4,),
        ("Table 5", "qa_lstm:qa-lstm"): (0.654, 0.665),
        ("Table 5", "ctrn:ap-bilstm"): (0.670, 0.684),
        ("Table 5", "ctrn:ap-cnn"): (0.689, 0.696),
        ("Table 5", "mrnn"): (0.731, 0.745),
        ("Table 6", "bm25"): (19.7, 36.3, 44.3),
        ("Table 6", "mrnn"): (52.8, 67.7, 69.9),
        ("Table 7", "qa_lstm:attentive-lstm"): (0.753, 0.830),
        ("Table 7", "ctrn:ap-cnn"): (0.753, 0.851),
        ("Table 7", "mrnn"): (0.822, 0.898),
    }
    assert figures["Table 4", "DrQA document-retrieval"] == (77.8,)
    multihop = "systems:multihop-lstm"
    assert figures["Table 5", multihop] == (0.722, 0.738)
    assert figures["Table 6", "systems:relation-network"] == (51.4, 68.2, 70.3)
    assert figures["Table 7", multihop] == (0.813, 0.893)
    assert [len(table.rows) for table in results] == [3, 14, 7, 9]
    # AP-LSTM of Table 7 is the attentive LSTM of the paper that it cites.
    (row,) = [
        row
        for row in papers["qa_lstm"].table("Table 4").rows
        if row.ours == "attentive-lstm"
    ]
    assert (
        tuple(row.metrics.values())
        == figures["Table 7", "qa_lstm:attentive-lstm"]
    )
    assert papers["mrnn"].table("Table 1").rows == (
        ("train, questions", "87,599", "873", "37,012", "1,162"),
        ("dev, questions", "10,570", "126", "3,000", "65"),
        ("test, questions", "", "243", "3,000", "68"),
    )


def test_a_folder_with_a_paper_toml_is_a_paper(tmp_path):
    """The sixth paper touches no list."""
    write_paper(tmp_path, "order = 2", '[models]\nm = "M"', key="sixth")
    write_paper(tmp_path, "order = 1", '[models]\nn = "N"', key="zeroth")
    (tmp_path / "harness").mkdir()
    papers = load_papers(tmp_path)
    assert list(papers) == ["zeroth", "sixth"]
    assert papers["sixth"].key == "sixth"
    assert papers["sixth"].named("m", "row") == "M (row)"
    assert papers["sixth"].named("another") == "another"
    names = {"n": "N", "m": "M", "bm25": "BM25"}
    assert model_names(tmp_path).items() >= names.items()


def test_every_paper_names_its_models():
    papers = load_papers()
    for paper in papers.values():
        rows = [row for table in paper.results for row in table.rows]
        for owner, model in {row.source(paper.key) for row in rows} - {None}:
            assert model in papers[owner].models
        assert paper.model in paper.models


def test_every_row_is_ours_or_says_why_it_is_not():
    for paper in load_papers().values():
        for table in paper.results:
            for row in table.rows:
                assert row.ours or row.why or table.why, row.model


def test_a_model_has_one_name():
    names = {}
    for paper in load_papers().values():
        for model, name in paper.models.items():
            assert names.setdefault(model, name) == name


def test_columns_of_parts_are_named(tmp_path):
    write_paper(tmp_path, RESULTS, 'parts = { MAP = "test1" }\nrows = []')
    with pytest.raises(RecordError, match="Received: no metric"):
        load_papers(tmp_path)
    more = 'metric = "MAP"\nparts = { A = "a" }\nrows = []'
    write_paper(tmp_path, RESULTS, more)
    with pytest.raises(RecordError, match="Received: no MAP"):
        load_papers(tmp_path)


@pytest.mark.parametrize(
    ("findings", "message"),
    [
        (
            '"one"',
            r"`findings` must be of type tuple\[str, ...\]. Received: 'o",
        ),
        ("[1]", r"`findings\[0\]` must be of type str. Received: 1"),
    ],
)
def test_findings_are_strings(tmp_path, findings, message):
    write_paper(tmp_path, f"findings = {findings}")
    with pytest.raises(RecordError, match=rf"p/paper\.toml: {message}"):
        load_papers(tmp_path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("=", "expected TOML"),
        ("why = 1", "Received: 'why'"),
        (
            '[[tables]]\nnumber = "Table 1"',
            r"tables\[0\]: expected .*no caption",
        ),
        (
            '[[tables]]\nnumber = "1"\ncaption = "c"\n'
            'columns = ["a", "b"]\nrows = [["a"]]',
            r"tables\[0\]: expected 2 cells in every row. Received: \['a'\]",
        ),
        (
            '[[tables]]\nnumber = "1"\ncaption = "c"\ncounts = ["wikiqa2"]',
            "`counts` must name data sets .*Received: 'wikiqa2'",
        ),
        (
            RESULTS.replace("tolerance = 0.1", "rows = []"),
            "Received: no tolerance",
        ),
        (RESULTS + 'rows = [{ model = "M" }]', "row 'M' .*Received: no MAP"),
        (
            RESULTS + 'rows = [{ model = "M", MAP = 1.0, MRR = 1.0 }]',
            r"`rows\[0\]`.*Received: 'MRR'",
        ),
        (
            RESULTS + 'rows = [{ model = "M", why = "no", MAP = 1.0 }]',
            "`why` must be one of .*Received: 'no'",
        ),
        (
            RESULTS + 'unprinted = ["split"]\nrows = []',
            r"`unprinted\[0\]` must be .*Received: 'split'",
        ),
        (
            RESULTS + 'rows = [{ model = "M", MAP = "1" }]',
            r"`rows\[0\]\.metrics\.MAP` must be of type float. Received: '1'",
        ),
    ],
)
def test_malformed_figures_are_named(tmp_path, table, message):
    write_paper(tmp_path, table, key="hyperqa")
    with pytest.raises(RecordError, match=rf"hyperqa/paper\.toml: .*{message}"):
        load_papers(tmp_path)


def test_unknown_tables_and_figures_are_named():
    paper = load_papers()[PAPER]
    with pytest.raises(RecordError, match="Received: number='Table 99'"):
        paper.table("Table 99")
    with pytest.raises(RecordError, match="Received: number='Figure 99'"):
        paper.figure("Figure 99")
