/**
 * What every page of the console has beside its markup. Nothing depends on it: without it times are in
 * UTC, and texts are copied by hand.
 */

/** Times in the reader's own zone; the exact moment stays in the title. */
export function localTimes(root) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "medium",
  });
  for (const time of root.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.textContent = format.format(at);
  }
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
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = box.dataset.copy;
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

/** Where something went wrong, that is where to go on. */
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
sendOnce(document);
focusProblem(document);
