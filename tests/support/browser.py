"""A headless Chromium, and what tests do with a page in it."""

import json
import shutil
from pathlib import Path
from urllib.parse import urlsplit

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = "needs Debian's packages chromium and chromium-driver"
_SWITCHES = (
    "headless=new",
    "no-sandbox",
    "disable-gpu",
    "disable-quic",
    "disable-dev-shm-usage",
    "no-first-run",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "force-prefers-reduced-motion",
    "window-size=1280,900",
    # No host but this one has an address.
    "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def start_browser(folder: Path):
    """Starts a browser that keeps its files in a folder.

    It writes all requests, those of workers too, to `requests.json` there.
    """
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in (
        *_SWITCHES,
        f"user-data-dir={folder / 'profile'}",
        f"log-net-log={folder / 'requests.json'}",
    ):
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    driver.set_script_timeout(60)
    return driver


def requested(folder: Path, site: str) -> list[str]:
    """The addresses that a site asked for, once the browser has ended.

    Args:
        folder: that of the browser, which asks for addresses of its own.
        site: an address of the site.
    """
    host = "{0.scheme}://{0.netloc}".format(urlsplit(site))
    events = json.loads((folder / "requests.json").read_text("utf-8"))["events"]
    asked = (event.get("params", {}) for event in events)
    return sorted({one["url"] for one in asked if one.get("initiator") == host})


class Page:
    """A page of `keras-qa demo` in a browser.

    Args:
        driver: what `start_browser` returned.
        address: the address of the site, with a slash at its end.
    """

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def open(self, fragment=""):
        """Loads the page afresh, until it has ranked."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}#{fragment}")
        self.wait_until("document.documentElement.dataset.ranked")
        return self

    def show(self, fragment):
        """Names other content by the address, without loading the page."""
        self.after_ranking(
            "if (location.hash === given[0]) dispatchEvent("
            "new Event('hashchange')); else location.hash = given[0];",
            f"#{fragment}",
        )

    def run(self, script, *arguments):
        """Runs the body of an async function, with the arguments `given`."""
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async (...given) => {{ {script} }})(...arguments).then("
            "(value) => done([value]), (error) => done({error: `${error}`}));",
            *arguments,
        )
        assert isinstance(found, list), found
        return found[0]

    def wait_until(self, condition):
        """Waits until an expression is true."""
        self.run(
            f"for (let i = 0; i < 1500; i++) {{ if ({condition}) return;"
            " await new Promise((done) => setTimeout(done, 10)); }"
            "throw new Error(given[0]);",
            condition,
        )

    def after_ranking(self, script, *arguments):
        """Runs a script that has the page rank anew, and waits until it has."""
        self.run(
            f"delete document.documentElement.dataset.ranked; {script}",
            *arguments,
        )
        self.wait_until("document.documentElement.dataset.ranked")

    def click(self, selector, number=0):
        """Clicks on an element that a selector finds."""
        self.run(
            "document.querySelectorAll(given[0])[given[1]].click();",
            selector,
            number,
        )

    def details(self, column, place):
        """Opens the details of an answer, until all are shown."""
        self.run(
            "const column = document.querySelectorAll('qa-ranking')[given[0]];"
            "await new Promise((done) => {"
            "addEventListener('qa-shown', done, { once: true });"
            "column.cards[given[1]].click(); });",
            column,
            place,
        )

    def emulate(self, width, scheme):
        """Gives the page a width, and light or dark colours."""
        send = self.driver.execute_cdp_cmd
        sizes = {"height": 900, "deviceScaleFactor": 1, "mobile": True}
        sizes["width"] = width
        send("Emulation.setDeviceMetricsOverride", sizes)
        scheme = {"name": "prefers-color-scheme", "value": scheme}
        send("Emulation.setEmulatedMedia", {"features": [scheme]})

    def text(self, selector):
        """The text of the first element that a selector finds."""
        return self.run(
            "return document.querySelector(given[0]).textContent;", selector
        )

    def column(self, number, part):
        """The texts of a part of each card in a column, best first."""
        return self.run(
            "const column = document.querySelectorAll('qa-ranking')[given[0]];"
            "return [...column.querySelectorAll(given[1])].map("
            "(one) => one.textContent);",
            number,
            f".answer {part}",
        )

    def errors(self):
        """What the browser has complained about since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
