/**
 * Behaviour that every page of the console has beside its markup. Nothing depends on it: without it
 * times are in UTC, and texts are copied by hand.
 */

/** Creates an element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Creates a plain button. */
export const makeButton = (textContent) =>
  make("button", { type: "button", className: "button", textContent });

/** Times in the reader's own zone; the exact moment stays in the title. */
export function localTimes(root) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "medium",
  });
  for (const time of root.querySelectorAll("time:is([data-local], [data-relative])")) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    if ("local" in time.dataset) time.textContent = format.format(at);
    if ("relative" in time.dataset) time.title = format.format(at);
  }
}

const UNITS = [[60, "second", 1], [3_600, "minute", 60], [86_400, "hour", 3_600]];
const AGO = new Intl.RelativeTimeFormat(document.documentElement.lang, { style: "narrow" });
const DAY_S = 86_400;
/** Interval at which relative times are brought up to date, in milliseconds. */
const AGO_MS = 10_000;

/** Brings relative times up to date, in the form in which the service writes them. */
function countOn() {
  if (document.hidden) return;
  for (const time of document.querySelectorAll("time[data-relative]")) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time.dateTime)) / 1_000));
    if (Number.isNaN(seconds) || seconds >= 14 * DAY_S) continue;
    const [, unit, size] = UNITS.find(([below]) => seconds < below) ?? [0, "day", DAY_S];
    time.textContent = AGO.format(-Math.floor(seconds / size), unit);
  }
}

/** Buttons that copy a text which stands in short: also those of rows that come later. */
function copyTexts(root) {
  if (navigator.clipboard === undefined) return;
  root.documentElement.classList.add("can-copy");
  root.addEventListener("click", async ({ target }) => {
    const button = target.closest?.("[data-copy-text]");
    if (!button) return;
    const { title } = button;
    await navigator.clipboard.writeText(button.dataset.copyText).catch(() => {});
    button.title = button.dataset.copied;
    button.classList.add("is-copied");
    setTimeout(() => {
      button.title = title;
      button.classList.remove("is-copied");
    }, 1_500);
  });
}

/** The search is a key away, as in other tools, where nothing is being typed. */
function searchByKey(root) {
  const field = root.querySelector(".search input");
  if (field === null) return;
  root.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    field.focus();
  });
}

/** A text from outside with what cannot be seen written out, as the service writes it in pages. */
export function shownText(text) {
  const unseen = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
  return text.replace(unseen, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);
}

/** A button beside each text that is there to be taken along. */
function copyButtons(root) {
  if (navigator.clipboard === undefined) return;
  for (const box of root.querySelectorAll("[data-copy]")) {
    const button = makeButton(box.dataset.copy);
    const code = box.querySelector("code");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        // The browser does not let it: the text is marked, to be copied by hand.
        getSelection().selectAllChildren(code);
        return;
      }
      button.textContent = box.dataset.copied;
      setTimeout(() => button.textContent = box.dataset.copy, 2_000);
    });
    box.append(button);
  }
}

/** Time after which a form can be sent again whose sending was stopped, in milliseconds. */
const SENDING_MS = 10_000;

/** A form is sent once: a second click while the answer is on its way does nothing. */
function sendOnce(root) {
  for (const form of root.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent !== undefined) return event.preventDefault();
      form.dataset.sent = "";
      setTimeout(() => delete form.dataset.sent, SENDING_MS);
    });
  }
  // A page that comes back from the browser's memory is fresh.
  addEventListener("pageshow", () => {
    for (const form of root.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });
}

/** Focuses the first field with a problem. */
function focusProblem(root) {
  root.querySelector("[aria-invalid=true], .choice-wrong input")?.focus();
}

/** On a phone the sections scroll sideways: the one that is shown is not out of sight. */
function showSection(root) {
  root.querySelector(".top nav [aria-current]")?.scrollIntoView({
    block: "nearest",
    inline: "center",
  });
}

showSection(document);
localTimes(document);
copyButtons(document);
copyTexts(document);
searchByKey(document);
setInterval(countOn, AGO_MS);
sendOnce(document);
focusProblem(document);
