import type { Endpoint } from "@svc/sdk/protocol";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { Upstream, UpstreamAnswer, UpstreamCall } from "../../ports/upstream.ts";
import { simulateChat } from "./chat.ts";
import { deliver, failure } from "./delivery.ts";
import { simulateEmbeddings } from "./embeddings.ts";
import type { EndpointSimulator } from "./endpoint.ts";
import { simulateEdit, simulateGeneration } from "./images.ts";
import { FailureCounters } from "./misbehaviour.ts";
import { isRefusal } from "./refusal.ts";

/** Upstream names of the simulated models. Other names are answered too. */
export const SIMULATED_MODELS: readonly string[] = [
  "sim-small",
  "sim-vision",
  "sim-large",
  "sim-signed",
  "sim-thought",
  "sim-image",
  "sim-embed",
];

const ENDPOINTS: Readonly<Partial<Record<Endpoint, EndpointSimulator>>> = {
  chat: simulateChat,
  "images.generations": simulateGeneration,
  "images.edits": simulateEdit,
  embeddings: simulateEmbeddings,
};

/** Dependencies of a simulator. */
export interface SimulatorDeps {
  /** Provides the time of answers. */
  readonly clock: Clock;
  /** Fetches images by address. @default {none are fetched} */
  readonly fetchImage?: FetchImage | undefined;
}

/**
 * Creates the embedded upstream: an honest, labelled stand-in for models, without network or
 * account. Equal requests get equal answers, ids and times aside.
 *
 * `sim-large`, `sim-signed` and `sim-thought` sign their tool calls and refuse a continuation that
 * lost or changed a signature of theirs. Offered `web_search` or `file_search`, a model calls it, once, where the
 * question asks for something to be searched for, and cites the numbered sources that come back. See
 * {@linkcode Simulate} for how to make it misbehave.
 *
 * @example
 * ```ts ignore
 * const simulator = createSimulator(config, { clock });
 * const answer = await simulator.call(call);
 * ```
 */
export function createSimulator(config: UpstreamConfig, deps: SimulatorDeps): Upstream {
  const failures = new FailureCounters();
  let serial = 0;

  async function call(call: UpstreamCall): Promise<UpstreamAnswer> {
    if (call.signal.aborted) return failure("cancelled", "The call was cancelled");
    const simulate = ENDPOINTS[call.endpoint];
    if (simulate === undefined) {
      const message = `The simulator does not serve the endpoint "${call.endpoint}"`;
      return failure("server_error", message, { status: 501 });
    }
    const created = Math.floor(deps.clock.nowMs() / 1000);
    const { fetchImage } = deps;
    const context = { created, serial: ++serial, failures, fetchImage };
    const answering = simulate(call, context);
    const answer = answering instanceof Promise ? await settled(answering, call.signal) : answering;
    if (answer === "cancelled") return failure("cancelled", "The call was cancelled");
    if (!isRefusal(answer)) return await deliver(answer, call, config.timeouts);
    const { message, param } = answer;
    return failure("refused_input", message, { status: 400, param });
  }

  return { id: config.id, call, models: () => Promise.resolve(SIMULATED_MODELS), close() {} };
}

/** Returns the answer, or a failure where the caller has disconnected. */
async function settled<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "cancelled"> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return "cancelled";
    throw error;
  }
}
