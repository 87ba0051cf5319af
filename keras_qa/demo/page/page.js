// The page: joins the question, the columns and the details of an answer.

import "./qa-question.js";
import "./qa-ranking.js";
import "./qa-links.js";
import "./qa-views.js";
import { addressOf, stateOf } from "./address.js";
import { commandOf } from "./command.js";
import { html } from "./dom.js";
import { Rankers } from "./rankers.js";
import { readSite } from "./site.js";

/** The answers that a column shows at first. */
const FIRST = 10;

const part = (id) => document.getElementById(id);
const questionBox = document.querySelector("qa-question");
const views = document.querySelector("qa-views");
const status = part("status");

const rankers = new Rankers();
let site = null;
let columns = [];
let links = null;
let state = null;
let given = null;
let results = new Map();
let most = FIRST;
let asked = 0;
let drawn = false;

start().catch((error) => {
  status.textContent = `The page cannot start: ${error.message}`;
});

async function start() {
  status.textContent = "Loading the rankers …";
  site = await readSite();
  document.title = part("title").textContent = site.title;
  questionBox.start(site.questions);
  views.start(rankers);
  columns = site.rankers.map((ranker) => {
    const column = document.createElement("qa-ranking");
    column.start(ranker);
    return column;
  });
  links = document.createElement("qa-links");
  const place = part("columns");
  place.style.setProperty("--columns", columns.length);
  place.replaceChildren(...columns, links);
  links.start(columns);
  expand(columns[0]);
  listen(place);
  const loads = columns.map((column) => {
    const loaded = rankers.load(column.ranker);
    loaded.catch((error) => {
      column.wait(`Not loaded: ${error.message}`);
      column.failed = true;
    });
    return loaded;
  });
  read();
  await Promise.allSettled(loads);
}

/** Shows what the address names. */
function read() {
  state = stateOf(location.hash, site.questions);
  questionBox.state = state;
  rank();
}

/** Ranks the answers by each ranker, and shows each as soon as it is done. */
async function rank() {
  const now = ++asked;
  const sample = site.questions[state.sample];
  const isSample = state.own === null && sample?.question === state.question;
  const answers = sample?.answers ?? [];
  given = {
    question: state.question,
    answers: state.own ?? answers.map(({ text }) => text),
    // Of another question, other answers are right.
    right: (state.own ?? answers).map((one) => (isSample ? one.right : null)),
  };
  results = new Map();
  most = FIRST;
  views.clear();
  part("below").hidden = given.answers.length === 0;
  if (given.answers.length === 0) {
    for (const column of columns) {
      if (!column.failed) column.wait("No answers to rank.");
    }
    links.draw();
    status.textContent =
      "Choose a sample question, or give your own answers.";
    document.documentElement.dataset.ranked = String(now);
    return;
  }
  const all = columns.map(async (column) => {
    try {
      const { question, answers } = given;
      const result = await rankers.rank(column.ranker, question, answers);
      if (now !== asked) return;
      results.set(column.ranker, result);
      column.show(result, given, most);
      links.draw();
      timed();
    } catch (error) {
      if (now === asked && !column.failed) column.wait(error.message);
    }
  });
  await Promise.all(all);
  if (now !== asked) return;
  const count = given.answers.length;
  const by = results.size === 1 ? "1 ranker" : `${results.size} rankers`;
  status.textContent = `${count} ${count === 1 ? "answer" : "answers"} ranked by ${by}.`;
  const more = part("more");
  more.hidden = count <= FIRST;
  more.textContent = `Show all ${count} answers`;
  document.documentElement.dataset.ranked = String(now);
}

/** Writes down, once, how long the first ranking took. */
function timed() {
  if (drawn) return;
  drawn = true;
  const { startTime } = performance.mark("first-ranking");
  part("timing").textContent =
    `First ranking ${(startTime / 1000).toFixed(1)} s after the page was asked for.`;
}

function listen(place) {
  questionBox.addEventListener("qa-change", ({ detail }) => {
    state = detail;
    const address = addressOf(state, site.questions);
    // What is too long for an address leaves it with the question alone.
    const named = address ?? addressOf({ ...state, own: null }, site.questions);
    history.replaceState(null, "", `#${named ?? ""}`);
    rank();
  });
  addEventListener("hashchange", read);
  place.addEventListener("qa-point", ({ detail }) => links.point(detail.answer));
  place.addEventListener("qa-expand", ({ detail }) => expand(detail.column));
  place.addEventListener("qa-aside", ({ detail }) => {
    const next = columns[columns.indexOf(detail.column) + detail.step];
    (next?.card(detail.answer) ?? next?.cards[0])?.focus();
  });
  place.addEventListener("qa-answer", ({ detail }) => {
    views.show({ ...given, ...detail, results });
  });
  place.addEventListener("qa-command", ({ detail }) => {
    const { question, answers } = given;
    copy(commandOf(detail.ranker.command, question, answers), "Command");
  });
  views.addEventListener("qa-back", ({ detail }) => {
    const column = columns.find((one) => one.ranker === detail.ranker);
    if (!column.card(detail.answer)) showAll();
    column.card(detail.answer).focus();
  });
  part("more").addEventListener("click", showAll);
  part("link").addEventListener("click", () => {
    if (addressOf(state, site.questions) === null) {
      say("These answers are too long for a link.");
    } else {
      copy(location.href, "Link");
    }
  });
}

function showAll() {
  most = Infinity;
  part("more").hidden = true;
  for (const column of columns) {
    const result = results.get(column.ranker);
    if (result) column.show(result, given, most);
  }
  links.draw();
}

/** On a narrow page, one column shows texts and the others places only. */
function expand(column) {
  for (const one of columns) one.classList.toggle("active", one === column);
  const at = columns.indexOf(column);
  part("columns").style.setProperty(
    "--narrow",
    columns.map((_, i) => (i === at ? "minmax(0, 1fr)" : "2.25rem")).join(" "),
  );
  links.draw();
}

async function copy(text, what) {
  const shown = part("uncopied");
  try {
    await navigator.clipboard.writeText(text);
    shown.hidden = true;
    say(`${what} copied.`);
  } catch {
    // Pages without TLS on another host have no clipboard.
    shown.hidden = false;
    shown.value = text;
    shown.select();
    say("Copy it from the field below.");
  }
}

function say(words) {
  const output = part("copied");
  output.replaceChildren(html("span", {}, words));
}
