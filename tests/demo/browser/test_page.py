"""What a reader sees and does on the page, in a real browser."""

from urllib.parse import quote

import pytest

from support.browser import requested
from support.browser import start_browser

pytestmark = [
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:It looks like `register_random`"),
]

COLUMNS = ["BM25", "HYPERQA", "MRNN", "IAM"]
FOCUSED = "document.activeElement"


@pytest.fixture(autouse=True)
def no_complaints(page):
    """The browser complains about nothing: no error, no breach of the CSP."""
    page.errors()
    yield
    assert page.errors() == []


def press(page, *keys):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    named = [getattr(Keys, key) for key in keys]
    ActionChains(page.driver).send_keys(*named).perform()


def test_columns_have_the_kits_order(page, kit_rankers, questions):
    page.show("q=3")
    assert page.run("return document.title;") == "Rank answers in the browser"
    question = questions[2]
    answers = [candidate.text for candidate in question.candidates]
    assert f"{len(answers)} answers ranked by 4" in page.text("#status")
    # `test_scores.py` has the scores of all four.
    for number, name in enumerate(("bm25", "hyperqa")):
        ranker = kit_rankers()[name]
        order = [i for i, _ in ranker.rank(question.text, answers)]
        assert page.column(number, ".text") == [answers[i] for i in order][:10]
        right = [question.candidates[i].label == 1 for i in order]
        marks = page.column(number, ".score")
        assert ["right" in mark for mark in marks] == right[:10]
    assert "average precision" in page.text(".figures")
    assert " ms" in page.text(".figures")


def test_dev_figures(page):
    text = page.text(".dev")
    assert "MAP 0.750 (0.700 to 0.800)" in text
    assert "sample dev, 40 questions" in text


def test_lines_join_places(page):
    page.show("q=1")
    # Until they are drawn anew, the lines are those of another question.
    page.wait_until(
        "((left, right) => {"
        "const card = left.cards[0];"
        "const line = document.querySelector("
        "`qa-links path[data-answer='${card.dataset.answer}']`);"
        "const box = line?.getBoundingClientRect();"
        "const start = box?.left - card.getBoundingClientRect().right;"
        "const end = box?.right - right.getBoundingClientRect().left;"
        "return Math.max(Math.abs(start), Math.abs(end)) <= 1.5;"
        "})(...document.querySelectorAll('qa-ranking'))"
    )


def test_unknown_words_are_struck_through(page):
    question = "What is xyzzy silver?"
    page.show(f"text={quote(question)}&answer=silver%20qwertz")
    for number, name in enumerate(COLUMNS):
        assert page.column(number, "s") == ["qwertz"], name
    assert page.text(".reads s") == "xyzzy"
    assert page.text(".reads") == f"Reads: {question}"
    # Half of these 20,000 characters are read.
    page.show(f"text={'gold%20' * 4000}&answer=silver")
    assert page.text(".reads").startswith("Reads the first 2000 words: gold ")


def test_ones_own_answers(page):
    page.show("q=1")
    page.after_ranking(
        "const field = document.querySelector('#own');"
        "field.value = 'gold is yellow\\n\\r\\nsilver is an element';"
        "field.dispatchEvent(new Event('input'));"
    )
    found = sorted(page.column(0, ".text"))
    assert found == ["gold is yellow", "silver is an element"]
    # Nothing is known to be right.
    assert "right" not in "".join(page.column(0, ".score"))
    assert "average precision" not in page.text(".figures")
    address = page.run("return location.hash;")
    assert address == "#q=1&answer=gold+is+yellow&answer=silver+is+an+element"
    page.show("q=2")
    page.show(address[1:])
    assert sorted(page.column(3, ".text")) == found
    page.after_ranking(
        "[...document.querySelectorAll('qa-question button')][0].click();"
    )
    assert len(page.column(3, ".text")) > 2


def test_edits_of_both_fields_at_once(page):
    page.show("text=gold&answer=silver")
    fields = {"#question": "silver", "#own": "gold\nsilver"}
    page.run(
        "for (const [name, text] of Object.entries(given[0])) {"
        "const field = document.querySelector(name); field.value = text;"
        "field.dispatchEvent(new Event('input')); }",
        fields,
    )
    page.wait_until("document.querySelectorAll('.answer').length >= 2")
    page.wait_until("location.hash.includes('text=silver')")
    assert page.column(0, ".text") == ["silver", "gold"]


def test_permalink(page, questions):
    page.show("q=7")
    value = "return document.querySelector('#question').value;"
    assert page.run(value) == questions[6].text
    page.after_ranking(
        "const box = document.querySelector('#sample'); box.value = '4';"
        "box.dispatchEvent(new Event('change'));"
    )
    assert page.run("return location.hash;") == "#q=5"
    page.after_ranking(
        "const field = document.querySelector('#question');"
        "field.value = 'Who?'; field.dispatchEvent(new Event('input'));"
    )
    assert page.run("return location.hash;") == "#q=5&text=Who%3F"
    # Right answers are those to the sample's question.
    assert "right" not in "".join(page.column(0, ".score"))
    for wrong in ("q=4000", "q=-1", "q=x", "%E0%A4%A&q="):
        page.show(wrong)
        assert page.text("#status").startswith("Choose a sample question")


def test_details_of_an_answer(page):
    page.show("q=3")
    page.details(1, 2)
    heads = page.run(
        "return [...document.querySelectorAll('qa-views h3')]"
        ".map((one) => one.textContent);"
    )
    assert heads == ["HYPERQA", "BM25", "MRNN", "IAM"]
    answers = page.run(
        "return document.querySelectorAll('.strip .point').length;"
    )
    assert f"Place 3 of {answers}," in page.text("qa-views article p")
    text = page.text("qa-views")
    assert "uniform level, 1/" in text
    assert "looks up in the answer. Columns: the question" in text
    assert "The weights of the blocks at each word" in text
    assert "Jump from each word of the answer to the next one." in text
    assert page.run(f"return {FOCUSED}.id;") == "detail"
    page.click("qa-views .row button", 2)
    place = f"return {FOCUSED}.querySelector('.place').textContent;"
    assert page.run(place) == "3"


READ = {"ids": [2, 1], "spans": [[0, 2], [3, 6]], "unknown": [False, True]}


def test_words_shaded_by_weights(page):
    words, scale = page.run(
        "const { viewWeights } = await import('./view_words.js');"
        "const made = viewWeights({ side: 'answer' }, given[0], given[1]);"
        "const words = [...made.querySelectorAll('.word')];"
        "return [words.map((one) => [one.localName, one.textContent,"
        " one.className, Number(one.style.getPropertyValue('--level'))]),"
        " Number(made.querySelector('.uniform').style.getPropertyValue("
        "'--at'))];",
        {"dims": [3], "data": [0.8, 0.2, 0.0]},
        {"answer": "ab cde", "read": {"answer": READ}},
    )
    assert words == [
        ["span", "ab", "word above", 1],
        ["s", "cde", "word", 0.25],
    ]
    assert scale == 0.5 / 0.8


def test_words_shaded_by_numbers(page):
    words, text = page.run(
        "const { viewNumbers } = await import('./view_words.js');"
        "const made = viewNumbers({ side: 'answer', title: 'jump' }, given[0],"
        " given[1]);"
        "const words = [...made.querySelectorAll('.word')];"
        "return [words.map((one) => [one.className,"
        " Number(one.style.getPropertyValue('--level'))]), made.textContent];",
        {"dims": [3], "data": [3, -1, 9]},
        {"answer": "ab cde", "read": {"answer": READ}},
    )
    assert words == [["word above", 1], ["word", 0]]
    assert (
        "mean of these words, 1.000. Largest: “ab” 3.000, “cde” −1.000." in text
    )


def test_the_weights_of_blocks(page):
    cells, text = page.run(
        "const { viewBlocks } = await import('./view_map.js');"
        "const view = { question: 'q', answer: 'a', grams: [1, 3] };"
        "const made = viewBlocks(view, given[0], given[1]);"
        "return [[...made.querySelectorAll('.grids tr')].map((row) =>"
        "[...row.cells].map((one) => one.ariaLabel ?? one.textContent)),"
        " made.textContent];",
        {
            "q": {"dims": [2, 2], "data": [0.1, 0.9, 0.5, 0.5]},
            # And padding.
            "a": {"dims": [3, 2], "data": [0.2, 0.8, 1, 0, 9, 9]},
        },
        {
            **{"question": "ab cde", "answer": "fg hij"},
            "read": {"question": READ, "answer": READ},
        },
    )
    assert cells == [
        ["question", "1-gram", "3-gram"],
        ["ab", "0.100", "0.900"],
        ["cde", "0.500", "0.500"],
        ["answer", "1-gram", "3-gram"],
        ["fg", "0.200", "0.800"],
        ["hij", "1.000", "0.000"],
    ]
    assert (
        "1/2 = 0.500. Largest: “1-gram” / “hij” 1.000, “3-gram” / “ab”" in text
    )


def test_a_map(page):
    found = page.run(
        "const { viewMap } = await import('./view_map.js');"
        "const made = viewMap({ title: 'match' }, given[0], given[1]);"
        "const texts = (name) => [...made.querySelectorAll(name)].map((one) =>"
        "one.ariaLabel ?? one.textContent);"
        "return [texts('thead th'), texts('tbody th'), texts('tbody td'),"
        " made.querySelectorAll('.below').length, made.textContent];",
        # One row for each word of the question, and padding on both sides.
        {"dims": [3, 3], "data": [0.1, 0.2, 9, 0.3, -0.4, 9, 9, 9, 9]},
        {
            **{"question": "ab cde", "answer": "fg hij"},
            "read": {"question": READ, "answer": READ},
        },
    )
    assert found[:2] == [["ab", "cde"], ["fg", "hij"]]
    assert found[2] == ["0.100", "0.300", "0.200", "−0.400"]
    assert found[3] == 1
    assert "Match." in found[4]
    assert "from −0.400 to 0.300" in found[4]
    assert "Largest: “cde” / “fg” 0.300, “ab” / “hij” 0.200, “ab” /" in found[4]


def test_unreadable_answers(page):
    page.show("text=silver&answer=%2C&answer=silver")
    assert page.column(0, ".text") == ["silver", ","]
    assert page.column(0, ".score")[1] == "score not readable"


def test_command(page):
    found = page.run(
        "const { commandOf } = await import('./command.js');"
        "return commandOf(given[0], given[1], given[2]);",
        "rank --question {question} --candidates {answers}",
        "it's {answers}\n",
        ["a $x", "'b'\0", "{question}", "-5 °C"],
    )
    assert found == (
        r"rank --question 'it'\''s {answers} ' --candidates "
        r"'a $x' ''\''b'\'' ' '{question}' ' -5 °C'"
    )
    page.show("text=it%27s&answer=a%20%24x&answer=b")
    page.run("navigator.clipboard.writeText = () => Promise.reject();")
    page.click("qa-ranking footer button")
    page.wait_until("!document.querySelector('#uncopied').hidden")
    assert page.run("return document.querySelector('#uncopied').value;") == (
        r"keras-qa rank RUN --question 'it'\''s' --candidates 'a $x' 'b'"
    )


def test_keyboard(page):
    page.show("q=1")
    page.run("document.querySelector('.answer').focus();")
    press(page, "ARROW_DOWN", "ARROW_DOWN")
    place = f"return {FOCUSED}.querySelector('.place').textContent;"
    assert page.run(place) == "3"
    answer = page.run(f"return {FOCUSED}.dataset.answer;")
    press(page, "ARROW_RIGHT")
    column = page.run(f"return {FOCUSED}.closest('qa-ranking').ranker.label;")
    assert column == COLUMNS[1]
    assert page.run(f"return {FOCUSED}.dataset.answer;") == answer
    press(page, "HOME", "ARROW_UP")
    assert page.run(place) == "1"
    # The tab key stops once in each column; Enter opens the details.
    stops = (
        "return document.querySelectorAll('.answer[tabindex=\"0\"]').length;"
    )
    assert page.run(stops) == 4
    press(page, "ENTER")
    page.wait_until(f"{FOCUSED}.id === 'detail'")


def test_names_for_screen_readers(page):
    nameless = page.run(
        "return [...document.querySelectorAll('input, select, textarea')]"
        ".filter((one) => !one.labels.length && !one.ariaLabel)"
        ".map((one) => one.id);"
    )
    assert nameless == []
    regions = page.run(
        "return [...document.querySelectorAll('qa-ranking')].map((one) =>"
        "document.getElementById(one.getAttribute('aria-labelledby'))"
        ".textContent);"
    )
    assert regions == COLUMNS
    role = "return document.querySelector('#status').getAttribute('role');"
    assert page.run(role) == "status"


HOSTILE = [
    "<img src=x onerror='window.hacked = 1'>",
    "<script>window.hacked = 1</script>",
    "</li></ol><h1>silver</h1>&lt;",
    "silver \u202e desrever \u2066 and never closed",
    "si\0lver \x1b[31m 🚀 \ufeff",
    "=cmd|' /C calc'!A0",
    "silver " * 750_000,
    '<svg onload="window.hacked = 1"><a href="javascript:hacked=1">silver</a>',
    "https://elsewhere.example/silver.png",
]


def test_hostile_answers(page, tmp_path):
    page.show("q=1")
    file = tmp_path / "answers.txt"
    file.write_text("\n".join(HOSTILE), "utf-8")
    assert file.stat().st_size > 5_000_000
    page.run("delete document.documentElement.dataset.ranked;")
    page.run("document.querySelector('details').open = true;")
    page.driver.find_element("id", "file").send_keys(str(file))
    page.wait_until("document.documentElement.dataset.ranked")
    shown = {one if len(one) <= 320 else f"{one[:320]}…" for one in HOSTILE}
    for number, _ in enumerate(COLUMNS):
        assert set(page.column(number, ".text")) == shown
    for place, _ in enumerate(HOSTILE):
        page.details(1, place)
    assert page.run("return window.hacked ?? null;") is None
    made = "main img, main script, main h1, main a, main svg[onload]"
    assert page.run(f"return document.querySelectorAll('{made}').length;") == 0
    # A line of 5 MB makes the page no wider, and not much longer.
    sides = page.run(
        "const { scrollWidth, scrollHeight } = document.documentElement;"
        "return [scrollWidth - innerWidth, scrollHeight];"
    )
    assert sides[0] <= 0
    assert sides[1] < 8000
    assert "1 cut to 10,000 characters" in page.text("#own-note")
    page.click("#link")
    assert "too long" in page.text("#copied")


def test_what_cannot_be_shown(page):
    message = page.run(
        "const { Rankers } = await import('./rankers.js');"
        "const rankers = new Rankers();"
        "return rankers.load({ id: 'x', folder: 'nowhere' }).catch("
        "(error) => error.message);"
    )
    assert "cannot be read" in message
    for site in ({}, {"version": 2}, {"version": 1, "rankers": []}):
        message = page.run(
            "const { check } = await import('./site.js');"
            "try { check(given[0]); } catch (error) { return error.message; }",
            site,
        )
        assert message.startswith("site.json ")
    # The browser writes down the missing files.
    page.errors()


def test_widths_and_colours(page):
    try:
        for width, scheme in ((390, "dark"), (1280, "light")):
            page.emulate(width, scheme)
            page.show("q=3")
            page.details(1, 0)
            wide, *colours = page.run(
                "const root = document.documentElement;"
                "const { color, backgroundColor } = getComputedStyle(root);"
                "return [root.scrollWidth, color, backgroundColor];"
            )
            assert wide <= width
            assert contrast(*colours) > 7
            # On a narrow page, one column has texts, which a click chooses.
            closed = 3 if width == 390 else 0
            assert columns_without_texts(page) == [False] + [closed > 0] * 3
            if closed:
                page.click(".expand", 1)
                changed = [True, False, True, True]
                assert columns_without_texts(page) == changed
                page.click(".expand", 0)
    finally:
        for command in (
            "Emulation.clearDeviceMetricsOverride",
            "Emulation.setEmulatedMedia",
        ):
            page.driver.execute_cdp_cmd(command, {})


def columns_without_texts(page):
    return page.run(
        "return [...document.querySelectorAll('.dev')].map("
        "(one) => getComputedStyle(one).display === 'none');"
    )


def contrast(one, other):
    """The contrast of two colours, as WCAG 2 defines it."""

    def luminance(colour):
        parts = [int(x) / 255 for x in colour[4:-1].split(",")]
        r, g, b = (
            x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4
            for x in parts
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_first_ranking_and_requests(page, address, tmp_path, record_property):
    """In another browser, which is ended so that its log is complete."""
    driver = start_browser(tmp_path)
    other = type(page)(driver, address)
    try:
        other.open("q=1")
        seconds = other.run(
            "return performance.getEntriesByName('first-ranking')[0]"
            ".startTime / 1000;"
        )
        timing = other.text("#timing")
        # The policy lets nothing out, whatever a script asks for.
        outside = "http://elsewhere.example/x", "http://127.0.0.1:9/x"
        refused = [
            other.run(
                "return fetch(given[0]).then(() => 'sent', (e) => e.name);", url
            )
            for url in outside
        ]
        policy = [one for one in other.errors() if "Security Policy" in one]
    finally:
        driver.quit()
    record_property("seconds_to_first_ranking", seconds)
    assert f"{seconds:.1f} s" in timing
    assert refused == ["TypeError"] * 2
    assert len(policy) >= 2
    asked = requested(tmp_path, address)
    ends = ("site.json", ".wasm", "rankers/bm25/model.onnx", "worker.js")
    for end in ends:
        assert any(url.endswith(end) for url in asked), end
    assert [url for url in asked if not url.startswith(address)] == []
