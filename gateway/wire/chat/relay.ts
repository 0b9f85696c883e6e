import type { ErrorEnvelope } from "@svc/sdk/protocol";
import type { AnswerEnd } from "../answer_relay.ts";
import { ChunkRelayBase } from "./chunk_relay_base.ts";
import { SSE_DONE, sseEvent, sseLine } from "../sse.ts";

/** A chat answer as events: chunks, and `[DONE]`. */
export class ChatRelay extends ChunkRelayBase {
  override accept(text: string): string {
    const forwarded = this.chunks.accept(text);
    if (forwarded === undefined) return "";
    // No edit adds a line break, and the original text is one flat string, which is faster to
    // search.
    return text.includes("\n") ? sseEvent(forwarded) : sseLine(forwarded);
  }

  override completed({ metadata, usage, completedSeconds }: AnswerEnd): Iterable<string> {
    const chunks = this.chunks.closing({ metadata, usage, createdSeconds: completedSeconds });
    return [chunks.map(sseEvent).join("") + SSE_DONE];
  }

  /** Sends one event with the error, and never a clean end. */
  override failed(envelope: ErrorEnvelope): Iterable<string> {
    return [sseEvent(JSON.stringify({ ...envelope, choices: [] }))];
  }
}
