/**
 * The playground's stream: sends the form, and shows the gateway's events as they come. Without it the
 * form brings the whole answer with the next page.
 */

import { make, makeButton, shownText } from "./console.js";

/** Ends of a stream that came as they should. */
const LAST = ["response.completed", "response.incomplete"];

/** Events that carry text. */
const SAID = ["response.output_text.delta", "response.refusal.delta"];

/** The place where an answer appears. */
class Stage {
  isBusy = false;
  #root;
  #words;
  #call;

  constructor(root) {
    this.#root = root;
    this.#words = JSON.parse(root.dataset.words);
  }

  /** Sends what was entered, and shows what comes until it has ended or is stopped. */
  async run(form) {
    this.isBusy = true;
    this.#clear();
    // On a phone the answer is below what is seen.
    this.#root.scrollIntoView({ block: "nearest" });
    const leaving = new AbortController();
    const stop = this.#stopButton(form, leaving);
    this.#call = { beganMs: performance.now(), isWhole: false, isFailed: false };
    try {
      const answer = await fetch(form.dataset.playground, {
        method: "POST",
        headers: { accept: "text/event-stream" },
        body: new URLSearchParams(new FormData(form)),
        signal: leaving.signal,
      });
      await this.#show(answer);
      this.#finish();
    } catch {
      if (leaving.signal.aborted) this.#find("state").textContent = this.#words.states.stopped;
      // A browser's own words for a lost connection say nothing to the reader.
      else this.#fail({ message: this.#words.left });
    } finally {
      const send = form.querySelector("[value=send]");
      if (document.activeElement === stop) send.focus();
      stop.remove();
      this.isBusy = false;
    }
  }

  #find(name) {
    return this.#root.querySelector(`[data-${name}]`);
  }

  #clear() {
    this.#root.hidden = false;
    this.#find("error").hidden = true;
    for (const name of ["text", "tasks", "images"]) this.#find(name).replaceChildren();
    for (const field of this.#root.querySelectorAll("[data-field]")) field.textContent = "–";
    this.#find("request").textContent = "–";
    this.#find("state").textContent = this.#words.states.waiting;
  }

  #stopButton(form, leaving) {
    const button = makeButton(this.#words.stop);
    button.addEventListener("click", () => leaving.abort());
    form.querySelector(".form-end").append(button);
    return button;
  }

  async #show(answer) {
    const id = answer.headers.get("x-request-id");
    if (id !== null) {
      const request = this.#find("request");
      request.textContent = id;
      request.href = `/console/requests/${encodeURIComponent(id)}`;
    }
    if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
      const whole = await answer.json();
      // The session is over: the page leads to the sign-in, and back to what was entered.
      if (answer.status === 401 && whole.error.code === undefined) {
        keep(document.querySelector("form[data-playground]"));
        location.reload();
      }
      return this.#take(whole);
    }
    for await (const data of events(answer.body)) {
      if (data === "[DONE]") this.#call.isWhole = true;
      else this.#take(JSON.parse(data));
    }
    const { isWhole, isFailed } = this.#call;
    if (!isWhole && !isFailed) this.#fail({ message: this.#words.left });
  }

  /** One chunk, event or whole answer, of any of the endpoints. */
  #take(part) {
    const failure = part.error ?? part.response?.error ??
      (part.type === "error" ? part : undefined);
    if (failure) this.#fail(failure);
    const { delta } = part.choices?.[0] ?? {};
    const piece = delta?.content ?? delta?.refusal;
    if (typeof piece === "string") this.#say(piece, part.orchestration);
    if (SAID.includes(part.type)) this.#say(part.delta, undefined);
    for (const { b64_json } of part.data ?? []) this.#draw(b64_json);
    if (LAST.includes(part.type)) this.#call.isWhole = true;
    const metadata = part.metadata ?? part.response?.metadata;
    // A call that no model answered has a route, and no bill.
    if (metadata?.billing ?? metadata?.routing) this.#bill(metadata);
  }

  #say(piece, task) {
    if (piece === "") return;
    this.#call.firstMs ??= performance.now() - this.#call.beganMs;
    this.#find("state").textContent = this.#words.states.streaming;
    this.#placeOf(task).append(piece);
  }

  /** Returns the element that takes the text of a task; the final task is the answer itself. */
  #placeOf(task) {
    if (task === undefined || task === null || task.task_id === "final") return this.#find("text");
    const tasks = this.#find("tasks");
    const known = [...tasks.children].find(({ dataset }) => dataset.task === task.task_id);
    if (known !== undefined) return known.lastChild;
    const heading = make("h3", { textContent: task.title ?? task.task_id });
    const section = make("section", {}, heading, make("div", { className: "said" }));
    section.dataset.task = task.task_id;
    tasks.append(section);
    return section.lastChild;
  }

  #draw(base64) {
    if (base64 === undefined) return;
    const src = `data:image/png;base64,${base64}`;
    this.#find("images").append(make("img", { src, alt: this.#words.drawn }));
  }

  #bill({ routing = {}, billing = {} }) {
    const attempts = (routing.attempts ?? [])
      .map(({ model, outcome, ms }) =>
        `${model}: ${this.#words.outcomes[outcome] ?? outcome}, ${Math.round(ms)} ms`
      );
    const { charged, estimated, input_tokens, output_tokens } = billing;
    const fields = {
      model: routing.model,
      provider: routing.provider,
      tier: routing.tier,
      reason: routing.reason,
      attempts: attempts.join("; "),
      charged: estimated ? `${charged} (${this.#words.estimated})` : charged,
      input: input_tokens?.toLocaleString("en-US"),
      output: output_tokens?.toLocaleString("en-US"),
    };
    for (const [name, value] of Object.entries(fields)) {
      const field = this.#root.querySelector(`[data-field="${name}"]`);
      if (value) field.textContent = shownText(value);
    }
  }

  #fail({ message, code }) {
    this.#call.isFailed = true;
    this.#find("error-text").textContent = shownText(message ?? "");
    this.#find("error-hint").textContent = this.#words.hints[code] ?? this.#words.anyHint;
    this.#find("error").hidden = false;
    this.#find("state").textContent = this.#words.states.failed;
  }

  #finish() {
    const { isFailed, firstMs, beganMs } = this.#call;
    if (isFailed) return;
    const { states, firstText, whole } = this.#words;
    const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
    const first = firstMs === undefined ? [] : [`${firstText} ${seconds(firstMs)}`];
    const end = `${whole} ${seconds(performance.now() - beganMs)}`;
    this.#find("state").textContent = [states.done, ...first, end].join(" · ");
  }
}

/** The data of each event of a stream, as it comes. */
async function* events(body) {
  let rest = "";
  for await (const piece of textOf(body)) {
    const parts = (rest + piece).split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart());
      if (data.length > 0) yield data.join("\n");
    }
  }
}

/** Not every browser can walk over a stream. */
async function* textOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

const KEPT = "svc.playground";
const ENTERED = ["prompt", "system", "wallet", "maxTokens", "orchestration"];

/** Keeps what was entered for the page that comes next in this tab, and only for that. */
function keep(form) {
  const entered = ENTERED.map((name) => [name, form.elements[name]?.value ?? ""]);
  sessionStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(entered)));
}

/** Puts what was entered before into what is empty. */
function bringBack(form) {
  const entered = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  sessionStorage.removeItem(KEPT);
  for (const name of ENTERED) {
    const field = form.elements[name];
    if (!field || !entered[name]) continue;
    const isFree = field instanceof HTMLSelectElement
      ? [...field.options].some(({ value }) => value === entered[name])
      : field.value === "";
    if (isFree) field.value = entered[name];
  }
}

for (const form of document.querySelectorAll("form[data-playground]")) {
  bringBack(form);
  for (const tab of document.querySelectorAll(".tabs a")) {
    tab.addEventListener("click", () => keep(form));
  }
  const stage = new Stage(document.querySelector("[data-answer]"));
  form.addEventListener("submit", (event) => {
    // Only what is sent streams; "as code" is a page.
    if (event.submitter?.value === "code") return;
    event.preventDefault();
    delete form.dataset.sent;
    if (!stage.isBusy) stage.run(form);
  });
}
