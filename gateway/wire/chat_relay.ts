import type { ErrorEnvelope } from "@svc/sdk/protocol";
import type { AnswerEnd } from "./answer_relay.ts";
import { FollowedChunks } from "./followed_chunks.ts";
import { SSE_DONE, sseEvent, sseLine } from "./sse.ts";

/** A chat answer as the events of its stream: chunks, and `[DONE]`. */
export class ChatRelay extends FollowedChunks {
  override accept(text: string): string {
    const forwarded = this.chunks.accept(text);
    if (forwarded === undefined) return "";
    // No edit adds a line break, and the text as it came is in one piece: looking there is cheaper.
    return text.includes("\n") ? sseEvent(forwarded) : sseLine(forwarded);
  }

  override completed({ metadata, usage, completedSeconds }: AnswerEnd): Iterable<string> {
    const owed = this.chunks.missingFinishes(completedSeconds).map(sseEvent).join("");
    const last = this.chunks.lastChunk(metadata, { usage, createdSeconds: completedSeconds });
    return [owed + sseEvent(last) + SSE_DONE];
  }

  /** One event that says so, and never a clean end. */
  override failed(envelope: ErrorEnvelope): Iterable<string> {
    return [sseEvent(JSON.stringify({ ...envelope, choices: [] }))];
  }
}
