import { withModel } from "../call.ts";
import type { ModelRequest } from "../loop/mod.ts";
import type { TransportCall } from "../transport.ts";
import type { TurnOptions } from "./surface.ts";

/** The request of a turn; its model may be absent. */
interface TurnShapes {
  conversation: { readonly model?: unknown };
  turn: unknown;
  call: unknown;
  chunk: unknown;
}

/** Returns the call for a turn, whole or as events. */
export function turnCall(
  path: string,
  { conversation, signal }: Pick<ModelRequest<TurnShapes>, "conversation" | "signal">,
  { auto, requestId, stream, tags, timeoutMs }: TurnOptions,
): TransportCall {
  const body = { ...withModel(conversation), stream };
  return { method: "POST", base: "openai", path, requestId, signal, timeoutMs, auto, tags, body };
}
