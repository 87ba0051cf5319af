"""What a reader sees and does on the page, in a real browser."""

from urllib.parse import quote

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support.browser import requested
from support.browser import start_browser

pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:It looks like `register_random`"),
]

COLUMNS = ["BM25", "HYPERQA", "ATTENTIVE-LSTM", "CTRN"]


@pytest.fixture(autouse=True)
def no_complaints(page):
    """The browser complains about nothing in any test: no error, no CSP."""
    page.errors()
    yield
    assert page.errors() == []


def test_first_ranking(page, record_property, questions):
    page.open()
    seconds = page.run(
        "return performance.getEntriesByName('first-ranking')[0].startTime"
        " / 1000;"
    )
    record_property("seconds_to_first_ranking", seconds)
    assert f"{seconds:.1f} s" in page.text("#timing")
    assert seconds < 60
    assert page.run("return document.title") == "Rank answers in the browser"
    assert page.text("qa-ranking h2") == "BM25"
    candidates = questions[0].candidates
    assert f"{len(candidates)} answers ranked by 4" in page.text("#status")


def test_the_order_of_a_column_is_the_kits(page, kit_rankers, questions):
    page.open("q=3")
    question = questions[2]
    answers = [candidate.text for candidate in question.candidates]
    for number, ranker in enumerate(kit_rankers().values()):
        order = [i for i, _ in ranker.rank(question.text, answers)]
        assert page.column(number, ".text") == [answers[i] for i in order][:10]
        right = [question.candidates[i].label == 1 for i in order]
        marks = page.column(number, ".score")
        assert ["right" in mark for mark in marks] == right[:10]
        (figures,) = page.run(
            "return [document.querySelectorAll('.figures')[given[0]]"
            ".textContent];",
            number,
        )
        assert "average precision" in figures
        assert " ms" in figures


def test_dev_figures(page):
    page.open()
    text = page.text(".dev")
    assert "MAP 0.750 (0.700 to 0.800)" in text
    assert "sample dev, 40 questions" in text


def test_lines_join_places(page):
    page.open("q=1")
    page.wait_until("document.querySelector('qa-links path')")
    ends = page.run(
        "const column = document.querySelectorAll('qa-ranking');"
        "const box = column[0].cards[0].getBoundingClientRect();"
        "const answer = column[0].cards[0].dataset.answer;"
        "const line = document.querySelector("
        "`qa-links path[data-answer='${answer}']`).getBoundingClientRect();"
        "return [line.left - box.right, line.right"
        " - column[1].getBoundingClientRect().left];"
    )
    assert ends == pytest.approx([0, 0], abs=1.5)


def test_unknown_words_are_struck_through(page):
    question = "What is xyzzy silver?"
    page.open("text=" + quote(question) + "&answer=silver%20qwertz")
    for number, column in enumerate(COLUMNS):
        assert page.column(number, "s") == ["qwertz"], column
    assert page.text(".reads s") == "xyzzy"
    assert page.text(".reads") == f"Reads: {question}"


def test_ones_own_answers(page):
    page.open("q=1")
    field = page.driver.find_element(By.ID, "own")
    page.run("document.querySelector('details').open = true;")
    page.run("delete document.documentElement.dataset.ranked;")
    field.send_keys("gold is yellow\n\nsilver is an element")
    page.wait_until("document.querySelectorAll('.answer').length === 8")
    assert sorted(page.column(0, ".text")) == [
        "gold is yellow",
        "silver is an element",
    ]
    # Nothing is known to be right.
    assert "right" not in "".join(page.column(0, ".score"))
    assert "average precision" not in page.text(".figures")
    found = page.run("return location.hash")
    assert found == "#q=1&answer=gold+is+yellow&answer=silver+is+an+element"
    page.open(found[1:])
    assert len(page.column(3, ".text")) == 2
    page.after_ranking(
        "[...document.querySelectorAll('button')].find((one) =>"
        "one.textContent.startsWith('Back to the sample')).click();"
    )
    assert len(page.column(3, ".text")) > 2


def test_permalink(page, questions):
    page.open("q=7")
    assert page.run("return document.querySelector('#question').value") == (
        questions[6].text
    )
    page.after_ranking("location.hash = 'q=2';")
    assert page.run("return document.querySelector('#sample').value") == "1"
    # Numbers of no question leave the page as it is without any.
    for wrong in ("q=4000", "q=-1", "q=x", "%E0%A4%A"):
        page.driver.get(f"{page.address}#{wrong}")
        page.wait_until("document.querySelector('#status').textContent")
    page.open("q=2")
    page.after_ranking(
        "const box = document.querySelector('#sample'); box.value = '4';"
        "box.dispatchEvent(new Event('change'));"
    )
    assert page.run("return location.hash") == "#q=5"


def test_details_of_an_answer(page):
    page.open("q=3")
    page.run("document.querySelectorAll('qa-ranking')[1].cards[2].click();")
    page.wait_until("document.querySelectorAll('qa-views figure').length >= 4")
    heads = page.run(
        "return [...document.querySelectorAll('qa-views h3')]"
        ".map((one) => one.textContent);"
    )
    assert heads == ["HYPERQA", "BM25", "ATTENTIVE-LSTM", "CTRN"]
    assert "Place 3 of" in page.text("qa-views article p")
    # The distance of the chosen answer is its negative score, up to the
    # scale and shift that the model learns.
    picture = page.run("return document.querySelector('.ball').outerHTML;")
    assert picture.count("<circle") >= 4
    assert "uniform level" in page.text("qa-views")
    assert page.run("return document.activeElement.id;") == "detail"
    weights = page.run(
        "return [...document.querySelectorAll('qa-views article')][2]"
        ".querySelectorAll('.word').length;"
    )
    assert weights > 2
    page.run(
        "[...document.querySelectorAll('qa-views button')].at(-1).click();"
    )
    focused = page.run("return document.activeElement.className;")
    assert focused.startswith("answer")


def test_command(page):
    page.open("text=it%27s&answer=a%20%24x&answer=%27b%27")
    text = page.run(
        "const { commandOf } = await import('./command.js');"
        "return commandOf(given[0], given[1], given[2]);",
        "rank --question {question} --candidates {answers}",
        "it's {answers}\n",
        ["a $x", "'b'\0", "{question}"],
    )
    assert text == (
        r"rank --question 'it'\''s {answers} ' --candidates "
        r"'a $x' ''\''b'\'' ' '{question}'"
    )
    page.run(
        "navigator.clipboard.writeText = () => Promise.reject();"
        "document.querySelector('qa-ranking footer button').click();"
    )
    page.wait_until("!document.querySelector('#uncopied').hidden")
    assert page.run("return document.querySelector('#uncopied').value;") == (
        r"keras-qa rank RUN --question 'it'\''s' --candidates "
        r"'a $x' ''\''b'\'''"
    )


def test_keyboard(page):
    page.open("q=1")
    press = ActionChains(page.driver)
    page.run("document.querySelector('.answer').focus();")
    press.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN).perform()
    here = "document.activeElement"
    assert (
        page.run(f"return {here}.querySelector('.place').textContent;") == "3"
    )
    answer = page.run(f"return {here}.dataset.answer;")
    ActionChains(page.driver).send_keys(Keys.ARROW_RIGHT).perform()
    assert (
        page.run(f"return {here}.closest('qa-ranking').ranker.label;")
        == (COLUMNS[1])
    )
    shown = page.run(
        "return !!document.querySelectorAll('qa-ranking')[1].card(given[0]);",
        answer,
    )
    assert page.run(f"return {here}.dataset.answer === given[0];", answer) is (
        shown
    )
    # One stop of the tab key for each column, and Enter opens the details.
    stops = page.run(
        "return document.querySelectorAll('.answer[tabindex=\"0\"]').length;"
    )
    assert stops == 4
    ActionChains(page.driver).send_keys(Keys.ENTER).perform()
    page.wait_until("document.querySelectorAll('qa-views article').length == 4")


def test_names_for_screen_readers(page):
    page.open("q=1")
    nameless = page.run(
        "return [...document.querySelectorAll('input, select, textarea')]"
        ".filter((one) => !one.labels.length && !one.ariaLabel)"
        ".map((one) => one.id);"
    )
    assert nameless == []
    assert (
        page.run("return document.querySelector('#status').role;") == "status"
    )
    regions = page.run(
        "return [...document.querySelectorAll('qa-ranking')].map((one) =>"
        "document.getElementById(one.getAttribute('aria-labelledby'))"
        ".textContent);"
    )
    assert regions == COLUMNS


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
    page.open("q=1")
    file = tmp_path / "answers.txt"
    file.write_text("\n".join(HOSTILE), "utf-8")
    assert file.stat().st_size > 5_000_000
    page.run("document.querySelector('details').open = true;")
    page.run("delete document.documentElement.dataset.ranked;")
    page.driver.find_element(By.ID, "file").send_keys(str(file))
    page.wait_until("document.documentElement.dataset.ranked")
    for number, _ in enumerate(COLUMNS):
        texts = page.column(number, ".text")
        shown = {
            f"{line[:320]}…" if len(line) > 320 else line for line in HOSTILE
        }
        assert set(texts) == shown
    for answer in range(len(HOSTILE)):
        page.run(
            "document.querySelectorAll('qa-ranking')[1].card(given[0]).click();",
            answer,
        )
        page.wait_until(
            "document.querySelectorAll('qa-views figure').length >= 4"
        )
    assert page.run("return window.hacked ?? null;") is None
    made = "main img, main script, main h1, main a, main svg[onload]"
    assert page.run(f"return document.querySelectorAll('{made}').length;") == 0
    # One line of 5 MB makes the page no wider or longer than others do.
    width, height = page.run(
        "const { scrollWidth, scrollHeight } = document.documentElement;"
        "return [scrollWidth - innerWidth, scrollHeight];"
    )
    assert width <= 0
    assert height < 8000
    assert "1 cut to 10,000 characters" in page.text("#own-note")
    page.run("[...document.querySelectorAll('#below button')].at(-1).click();")
    assert "too long" in page.text("#copied")


def test_hostile_site(page):
    """Names in site.json are text, too, and folders are no other hosts."""
    message = page.run(
        "const { Rankers } = await import('./rankers.js');"
        "const rankers = new Rankers();"
        "return rankers.load({ id: 'x', folder: 'nowhere' }).catch("
        "(error) => error.message);"
    )
    assert "cannot be read" in message
    complaints = page.errors()
    assert len(complaints) == 3
    assert all("404" in one for one in complaints)
    for site in ({}, {"version": 2}, {"version": 1, "rankers": []}):
        assert "site.json" in page.run(
            "const { check } = await import('./site.js');"
            "try { check(given[0]); } catch (error) { return error.message; }",
            site,
        )


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_widths(page, width, scheme):
    page.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width,
            "height": 900,
            "deviceScaleFactor": 1,
            "mobile": False,
        },
    )
    page.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    try:
        page.open("q=3")
        page.run("document.querySelectorAll('qa-ranking')[2].cards[0].click();")
        page.wait_until(
            "document.querySelectorAll('qa-views figure').length >= 4"
        )
        found = page.run(
            "const wide = document.documentElement.scrollWidth;"
            "const style = getComputedStyle(document.documentElement);"
            "return [wide, style.color, style.backgroundColor];"
        )
        assert found[0] == width
        assert contrast(*found[1:]) > 7
        hidden = page.run(
            "return [...document.querySelectorAll('qa-ranking')].filter((one) =>"
            "getComputedStyle(one.querySelector('.dev')).display === 'none')"
            ".length;"
        )
        assert hidden == (3 if width == 390 else 0)
        if width == 390:
            page.run("document.querySelectorAll('.expand')[1].click();")
            assert (
                page.run(
                    "return getComputedStyle(document.querySelectorAll('.dev')[1])"
                    ".display;"
                )
                == "block"
            )
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {})


def contrast(one, other):
    """The contrast of two colours as WCAG 2 defines it."""

    def luminance(colour):
        parts = [int(x) / 255 for x in colour[4:-1].split(",")]
        r, g, b = (
            x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4
            for x in parts
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_no_request_leaves_the_page(address, tmp_path):
    """Of another browser, which is ended so that its log is complete."""
    driver = start_browser(tmp_path)
    driver.get(f"{address}#q=1")
    driver.set_script_timeout(30)
    refused = driver.execute_async_script(
        "const done = arguments[0];"
        "fetch('http://127.0.0.1:9/x').then("
        "() => done('sent'), (error) => done(error.name));"
    )
    driver.execute_async_script(
        "const done = arguments[0]; const look = () =>"
        "document.documentElement.dataset.ranked ? done() :"
        "setTimeout(look, 20); look();"
    )
    driver.quit()
    assert refused == "TypeError"
    asked = requested(tmp_path)
    assert any(url.endswith(".wasm") for url in asked)
    assert [url for url in asked if not url.startswith(address)] == []
