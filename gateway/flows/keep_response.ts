import type { Candidate } from "../domain/routing.ts";
import type { JsonBody } from "../ports/upstream.ts";
import { editMembers } from "../wire/json_text.ts";
import type { GatewayContext } from "./context.ts";
import type { RequestTrace } from "./request_trace.ts";
import type { AskedResponse } from "./response_roads.ts";

/**
 * Keeps a response that its caller did not ask not to keep, durable when it resolves. A store that
 * fails or is full costs the caller nothing but the memory: the answer is paid for and goes out.
 */
export async function keepResponse(
  gateway: GatewayContext,
  trace: RequestTrace,
  answer: {
    readonly asked: AskedResponse;
    readonly candidate: Candidate;
    /** JSON text of the resource; `undefined` where there is none. */
    readonly resource: string | undefined;
  },
): Promise<void> {
  const { asked, candidate, resource } = answer;
  const { store, previous_response_id: previousId } = asked.request;
  if (store === false || resource === undefined) return;
  const { id, output } = JSON.parse(resource);
  const input = asked.ownItems().map((item) => identified(gateway, item));
  try {
    const kept = await gateway.responses.put({
      id,
      ownerId: trace.caller.key.walletId,
      expiresAtMs: gateway.clock.nowMs() + gateway.responsesKeptMs(),
      resource,
      input: input.map(({ text }) => text),
      previousId: previousId ?? undefined,
      itemIds: [...input.map(({ value }) => value), ...output].flatMap((item) =>
        typeof item?.id === "string" ? [item.id] : []
      ),
      upstreamId: asked.roadTo(candidate) === "native" ? candidate.upstream.id : undefined,
    });
    if (!kept) gateway.logger.warn("response_not_kept", { id, cause: "there is no room" });
  } catch (error) {
    gateway.logger.error("response_not_kept", { id, cause: String(error) });
  }
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
