import type { ErrorEnvelope } from "@svc/sdk/protocol";
import type { ObservedAnswer } from "../../domain/learning/answer_check.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerEnd, AnswerRelay, FailedEnd, SignedToolCall } from "../answer_relay.ts";
import { ChatChunkRelay, type ChatRelayOptions } from "./chunk_relay.ts";

/**
 * Base class of relays that parse an upstream's chat chunks with a {@linkcode ChatChunkRelay} and
 * write the events themselves.
 */
export abstract class ChunkRelayBase implements AnswerRelay {
  protected readonly chunks: ChatChunkRelay;

  /** `model` is the catalog id that callers see. */
  constructor(model: string, options: ChatRelayOptions = {}) {
    this.chunks = new ChatChunkRelay(model, options);
  }

  get usage(): Usage | undefined {
    return this.chunks.usage;
  }

  get delivered(): readonly string[] {
    return this.chunks.delivered;
  }

  get deliveredChars(): number {
    return this.chunks.deliveredChars;
  }

  get usedUpBy(): number | undefined {
    return this.chunks.usedUpBy;
  }

  get finished(): boolean {
    return this.chunks.finished;
  }

  get toolCalls(): readonly SignedToolCall[] {
    return this.chunks.toolCalls;
  }

  observed(): ObservedAnswer | undefined {
    return this.chunks.observed();
  }

  callerDisconnected(): void {
    this.chunks.callerDisconnected();
  }

  limitReached(): void {
    this.chunks.limitReached();
  }

  /** A clean end is valid with or without a finish: a missing one is added. */
  upstreamEnded(): void {}

  abstract accept(text: string): string;
  abstract completed(end: AnswerEnd): Iterable<string>;
  abstract failed(envelope: ErrorEnvelope, end: FailedEnd): Iterable<string>;
}
