import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ResponseStore } from "../../ports/response_store.ts";
import type { Rng } from "../../ports/rng.ts";
import type { Dialect } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers, memberText } from "../../wire/json/text.ts";
import { responseEvent } from "../../wire/responses/relay.ts";
import { SSE_DONE } from "../../wire/sse.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ResponseRequest } from "./response_routes.ts";

/** Parts of the service that storing a response uses. */
export interface StoreResponseDeps {
  readonly clock: Pick<Clock, "nowMs">;
  readonly logger: Logger;
  readonly responses: Pick<ResponseStore, "put">;
  /** Returns the time that a response is stored for, in milliseconds. */
  responsesKeptMs(): number;
  readonly rng: Pick<Rng, "id">;
}

/**
 * Stores the response unless `store` is false; durable when the promise resolves. A store that
 * fails or is full does not cost the caller the answer, which is paid for: it returns false, and
 * {@linkcode notStored} marks the answer.
 */
export async function storeResponse(
  deps: StoreResponseDeps,
  active: ActiveRequest,
  answer: {
    readonly request: ResponseRequest;
    /** The candidate that answered, if its upstream may store the response under the same id. */
    readonly candidate?: Candidate | undefined;
    /** JSON text of the resource; `undefined` if there is none. */
    readonly resource: string | undefined;
    /** Results of its searches that no text of it cites, by the ids of their items. */
    readonly findings?: ReadonlyMap<string, string> | undefined;
  },
): Promise<boolean> {
  const { request, candidate, resource, findings } = answer;
  const { store, previous_response_id: previousId } = request.params;
  if (store === false || resource === undefined) return true;
  const { id, output } = JSON.parse(resource);
  const warn = (cause: string) => {
    deps.logger.warn("response_not_kept", { id, cause });
    return false;
  };
  if (typeof id !== "string") return warn("the upstream gave it no id");
  // A response stored under that id would continue itself.
  if (id === previousId) return warn("the upstream gave it the id of the response it continues");
  const input = request.storedItems().map((item) => identified(deps, item));
  try {
    const isStored = await deps.responses.put({
      id,
      ownerId: active.key.walletId,
      expiresAtMs: deps.clock.nowMs() + deps.responsesKeptMs(),
      resource,
      input: input.map(({ text }) => text),
      previousId: previousId ?? undefined,
      itemIds: [...input.map(({ value }) => value), ...(Array.isArray(output) ? output : [])]
        .flatMap((item) => typeof item?.id === "string" ? [item.id] : []),
      found: findings === undefined || findings.size === 0
        ? undefined
        : Object.fromEntries(findings),
      upstreamId: candidate && request.routeTo(candidate) === "native"
        ? candidate.upstream.id
        : undefined,
    });
    return isStored || warn("there is no room");
  } catch (error) {
    deps.logger.error("response_not_kept", { id, cause: String(error) });
    return false;
  }
}

/** Marks a resource that could not be stored although it should have been. */
export function notStored(resource: string): string {
  return editMembers(resource, { store: "false" });
}

/**
 * Returns the last event of a clean stream as it is sent: marked if its resource is not stored, and
 * followed by `[DONE]` except in the dialect `openai`, whose streams have no such marker.
 */
export function lastEvent(
  event: string,
  { isStored, dialect }: { readonly isStored: boolean; readonly dialect: Dialect },
): string {
  return (isStored ? event : notStoredEvent(event)) + (dialect === "openai" ? "" : SSE_DONE);
}

function notStoredEvent(event: string): string {
  const [head = "", ...lines] = event.trimEnd().split("\ndata: ");
  const json = lines.join("\n");
  const response = memberText(json, "response");
  if (response === undefined) return event;
  return responseEvent(
    head.slice("event: ".length),
    editMembers(json, { response: notStored(response) }),
  );
}

/** Returns a request item with an id, which every stored item has. */
function identified(deps: Pick<StoreResponseDeps, "rng">, item: JsonBody): JsonBody {
  if (typeof item.value["id"] === "string") return item;
  const id = deps.rng.id(PREFIXES[String(item.value["type"])] ?? "msg");
  const text = editMembers(item.text, { id: JSON.stringify(id) });
  return { text, value: { ...item.value, id } };
}

/** Prefixes of item ids, as in OpenAI's API. */
const PREFIXES: Readonly<Record<string, string>> = {
  function_call: "fc",
  function_call_output: "fco",
  reasoning: "rs",
  web_search_call: "ws",
  file_search_call: "fs",
};
