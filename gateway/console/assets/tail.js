/**
 * The live view of requests: rows as the service renders them, put on top of each other.
 */

import { localTimes, make } from "./console.js";

/** Rows that are shown; older ones make room. */
const SHOWN_MAX = 100;
/** Rows that wait while the view is paused. */
const HELD_MAX = 500;
/** Minimum time between two announcements of new rows, in milliseconds. */
const SAY_EVERY_MS = 4_000;

const section = document.querySelector("[data-tail]");
const toggle = document.querySelector("[data-tail-switch]");
const pause = section?.querySelector("[data-tail-pause]");
const statusLine = section?.querySelector("[data-tail-said]");
const countLine = section?.querySelector("[data-tail-count]");
const lostLine = section?.querySelector("[data-tail-lost]");
const body = section?.querySelector("tbody");

let source;
let held = [];
let isPaused = false;
let seen = 0;
let lost = 0;
let saying;

function say(text) {
  clearTimeout(saying);
  saying = undefined;
  statusLine.textContent = text;
  countLine.textContent = text;
}

/** Shows how many there are, and reads it out now and then: it is not to be talked without end. */
function sayCounts() {
  const [words, count] = isPaused
    ? [statusLine.dataset.held, held.length]
    : [statusLine.dataset.seen, seen];
  countLine.textContent = `${words} ${count}`;
  saying ??= setTimeout(() => {
    saying = undefined;
    if (source !== undefined) statusLine.textContent = countLine.textContent;
  }, seen <= 1 ? 0 : SAY_EVERY_MS);
}

function lose(rows) {
  lost += rows;
  lostLine.hidden = false;
  lostLine.textContent = `${lostLine.dataset.tailLost} ${lost}`;
}

/** Markup of the service's own; whatever came from outside is escaped in it. */
function show(markup) {
  const { content } = make("template", { innerHTML: markup });
  localTimes(content);
  const row = content.querySelector("tr");
  row.className = "fresh";
  body.prepend(row);
  while (body.rows.length > SHOWN_MAX) body.lastElementChild.remove();
}

function take(event) {
  const markup = JSON.parse(event.data);
  if (isPaused) {
    held.push(markup);
    if (held.length > HELD_MAX) {
      held.shift();
      lose(1);
    }
  } else {
    seen++;
    show(markup);
  }
  sayCounts();
}

function setPaused(isNow) {
  isPaused = isNow;
  pause.dataset.pause ??= pause.textContent;
  pause.textContent = isNow ? pause.dataset.resume : pause.dataset.pause;
  if (isNow) return;
  for (const markup of held) show(markup);
  seen += held.length;
  if (held.length > 0) sayCounts();
  held = [];
}

function open() {
  source = new EventSource(section.dataset.tail);
  source.addEventListener("row", take);
  source.addEventListener("lost", (event) => lose(JSON.parse(event.data).rows));
  source.addEventListener("gap", () => section.querySelector("[data-tail-gap]").hidden = false);
  source.addEventListener("open", () => {
    if (statusLine.textContent === statusLine.dataset.broken) say(statusLine.dataset.waiting);
  });
  source.addEventListener("error", () => {
    const isOver = source?.readyState === EventSource.CLOSED;
    if (isOver) close();
    say(isOver ? statusLine.dataset.ended : statusLine.dataset.broken);
  });
  toggle.setAttribute("aria-pressed", "true");
  toggle.textContent = toggle.dataset.stop;
  section.hidden = false;
}

function close() {
  source?.close();
  source = undefined;
  toggle.setAttribute("aria-pressed", "false");
  toggle.textContent = toggle.dataset.start;
}

if (section !== null && toggle !== null) {
  toggle.hidden = false;
  toggle.dataset.start = toggle.textContent;
  statusLine.dataset.waiting = statusLine.textContent;
  toggle.addEventListener("click", () => {
    if (source === undefined) {
      say(statusLine.dataset.waiting);
      open();
    } else {
      close();
      setPaused(false);
      section.hidden = body.rows.length === 0;
    }
  });
  pause.addEventListener("click", () => setPaused(!isPaused));
}
