import { withModel } from "../call.ts";
import type { ModelRequest } from "../loop/mod.ts";
import type { TransportCall } from "../transport.ts";
import type { TurnOptions } from "./surface.ts";

/** What a surface asks for its turns with: a request, whose model may have been left out. */
interface TurnShapes {
  conversation: { readonly model?: unknown };
  turn: unknown;
  call: unknown;
  chunk: unknown;
}

/** The call that asks for a turn, in one piece or as events. */
export function turnCall(
  path: string,
  { conversation, signal }: Pick<ModelRequest<TurnShapes>, "conversation" | "signal">,
  { requestId, stream, timeoutMs }: TurnOptions,
): TransportCall {
  const body = { ...withModel(conversation), stream };
  return { method: "POST", base: "openai", path, requestId, signal, timeoutMs, body };
}
