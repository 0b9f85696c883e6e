import { ServiceFault } from "../domain/fault.ts";
import { errorResponse } from "../http/error_response.ts";
import type { Answering } from "../http/listen.ts";
import type { Rng } from "../ports/rng.ts";

/** Delays requests until the operator has been informed, and refuses them once it is closed. */
export class Gate {
  readonly #rng: Rng;
  #opened: Promise<void>;
  #open: () => void = () => {};
  #state: "waiting" | "open" | "closed" = "waiting";
  readonly #closing = new AbortController();

  /** Delays all requests until it is opened. */
  constructor(rng: Rng) {
    this.#rng = rng;
    this.#opened = new Promise((resolve) => this.#open = resolve);
  }

  /** Lets requests pass, those that wait first. */
  open(): void {
    this.#state = "open";
    this.#open();
  }

  /** Announces that the gate will be closed; requests still pass. */
  announce(): void {
    this.#closing.abort();
  }

  /** Aborted when the close of the gate is announced, or it is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Refuses all requests from now on. */
  close(): void {
    this.#state = "closed";
    this.announce();
    this.#open();
  }

  /** Wraps an application with this gate. */
  guard(app: Answering): Answering {
    return {
      fetch: (request, connection) => {
        if (this.#state === "open") return app.fetch(request, connection);
        return this.#opened.then(() =>
          this.#state === "open" ? app.fetch(request, connection) : this.#refuse(request)
        );
      },
    };
  }

  #refuse(request: Request): Response {
    // A probe of the process itself is answered as long as the process lives.
    const requestId = this.#rng.id("req");
    if (new URL(request.url).pathname === "/healthz") {
      return Response.json({ status: "ok" }, { headers: { "x-request-id": requestId } });
    }
    return errorResponse(new ServiceFault("shutting_down"), requestId);
  }
}
