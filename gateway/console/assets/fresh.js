/**
 * Keeps a page up to date while it is open: fetches the page again and replaces the parts that are
 * marked `data-fresh`. It stops while the page is hidden, and while the reader has paused it.
 */

import { localTimes } from "./console.js";

const control = document.querySelector("[data-refresh]");
const statusLine = control?.querySelector("[data-refresh-said]");
const button = control?.querySelector("button");
const listeners = [];
let isPaused = false;

/** Calls `done` after each refresh; there is none while `isBusy()`. */
export function onFresh(done, { isBusy = () => false } = {}) {
  listeners.push({ done, isBusy });
}

function partsOf(root) {
  return new Map(
    [...root.querySelectorAll("[data-fresh]")].map((part) => [part.dataset.fresh, part]),
  );
}

/** True while the reader uses a part by keyboard, or marks text in it. */
function isInUse(part) {
  const selection = getSelection();
  return part.contains(document.activeElement) ||
    !selection.isCollapsed && part.contains(selection.anchorNode);
}

function replace(part, fresh) {
  const folds = [...part.querySelectorAll("details")];
  for (const [at, fold] of [...fresh.querySelectorAll("details")].entries()) {
    if (folds[at] !== undefined) fold.open = folds[at].open;
  }
  const scrolled = [...part.querySelectorAll(".scroll")]
    .map(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
  localTimes(fresh);
  part.replaceWith(fresh);
  for (const [at, box] of [...fresh.querySelectorAll(".scroll")].entries()) {
    box.scrollTo(...(scrolled[at] ?? [0, 0]));
  }
}

async function refresh() {
  const parts = partsOf(document);
  if (isPaused || document.hidden || listeners.some(({ isBusy }) => isBusy())) return;
  if ([...parts.values()].some(isInUse)) return;
  const answer = await fetch(location.href, { redirect: "manual" });
  if (!answer.ok) return stop();
  const fresh = partsOf(new DOMParser().parseFromString(await answer.text(), "text/html"));
  // Other parts than before, such as the first request's: the page as a whole is another.
  if (fresh.size !== parts.size || [...fresh.keys()].some((name) => !parts.has(name))) {
    return location.reload();
  }
  for (const [name, part] of parts) replace(part, document.adoptNode(fresh.get(name)));
  for (const { done } of listeners) done();
  const time = new Date().toLocaleTimeString(document.documentElement.lang, { hour12: false });
  statusLine.textContent = `${statusLine.dataset.refreshSaid} ${time}`;
}

function stop() {
  clearInterval(timer);
  statusLine.textContent = control.dataset.ended;
  button.hidden = true;
}

let timer;
if (control !== null) {
  control.hidden = false;
  // A service that is starting again is asked once more, a little later.
  timer = setInterval(() => refresh().catch(() => {}), Number(control.dataset.refresh));
  button.dataset.pause = button.textContent;
  button.addEventListener("click", () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? button.dataset.resume : button.dataset.pause;
    button.setAttribute("aria-pressed", String(isPaused));
  });
}
