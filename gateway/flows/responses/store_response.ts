import type { Dialect } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers, memberText } from "../../wire/json/text.ts";
import { responseEvent } from "../../wire/responses/relay.ts";
import { SSE_DONE } from "../../wire/sse.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";
import type { AskedResponse } from "./response_routes.ts";

/**
 * Keeps a response that its caller did not ask not to keep, durable when it resolves. A store that
 * fails or is full costs the caller nothing but the memory: the answer is paid for and goes out, and
 * the false that comes back is what {@linkcode notStored} makes it say.
 */
export async function storeResponse(
  gateway: GatewayContext,
  trace: RequestTrace,
  answer: {
    readonly asked: AskedResponse;
    /** Who answered, where that may keep what it was asked and said; absent where it cannot. */
    readonly candidate?: Candidate | undefined;
    /** JSON text of the resource; `undefined` where there is none. */
    readonly resource: string | undefined;
    /** What its searches found that no text of it stands for, by the ids of their items. */
    readonly found?: ReadonlyMap<string, string> | undefined;
  },
): Promise<boolean> {
  const { asked, candidate, resource, found } = answer;
  const { store, previous_response_id: previousId } = asked.request;
  if (store === false || resource === undefined) return true;
  const { id, output } = JSON.parse(resource);
  const notKept = (cause: string) => {
    gateway.logger.warn("response_not_kept", { id, cause });
    return false;
  };
  if (typeof id !== "string") return notKept("the upstream gave it no id");
  // In the place of what it continues it would continue itself.
  if (id === previousId) return notKept("the upstream gave it the id of the response it continues");
  const input = asked.keptItems().map((item) => identified(gateway, item));
  try {
    const kept = await gateway.responses.put({
      id,
      ownerId: trace.caller.key.walletId,
      expiresAtMs: gateway.clock.nowMs() + gateway.responsesKeptMs(),
      resource,
      input: input.map(({ text }) => text),
      previousId: previousId ?? undefined,
      itemIds: [...input.map(({ value }) => value), ...(Array.isArray(output) ? output : [])]
        .flatMap((item) => typeof item?.id === "string" ? [item.id] : []),
      found: found === undefined || found.size === 0 ? undefined : Object.fromEntries(found),
      upstreamId: candidate && asked.roadTo(candidate) === "native"
        ? candidate.upstream.id
        : undefined,
    });
    return kept || notKept("there is no room");
  } catch (error) {
    gateway.logger.error("response_not_kept", { id, cause: String(error) });
    return false;
  }
}

/** A resource that says that it is not kept, though it was to be. */
export function notStored(resource: string): string {
  return editMembers(resource, { store: "false" });
}

/**
 * The last event of a clean stream as it is sent: it says where its resource is not kept, and
 * `[DONE]` follows but in the dialect `openai`, whose own streams have none.
 */
export function lastEvent(
  event: string,
  { isKept, dialect }: { readonly isKept: boolean; readonly dialect: Dialect },
): string {
  return (isKept ? event : notStoredEvent(event)) + (dialect === "openai" ? "" : SSE_DONE);
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

/** An item of a request has an id from when it is kept on. */
function identified(gateway: GatewayContext, item: JsonBody): JsonBody {
  if (typeof item.value["id"] === "string") return item;
  const id = gateway.rng.id(PREFIXES[String(item.value["type"])] ?? "msg");
  const text = editMembers(item.text, { id: JSON.stringify(id) });
  return { text, value: { ...item.value, id } };
}

/** As OpenAI names the ids of items. */
const PREFIXES: Readonly<Record<string, string>> = {
  function_call: "fc",
  function_call_output: "fco",
  reasoning: "rs",
  web_search_call: "ws",
  file_search_call: "fs",
};
