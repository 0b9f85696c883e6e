import type { ErrorEnvelope } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerEnd, AnswerRelay, FailedEnd, SignedToolCall } from "../answer_relay.ts";
import { ChatChunkRelay, type ChatRelayOptions } from "./chunk_relay.ts";

/** An upstream's chat chunks, followed: how they are told to the caller is the subclass's affair. */
export abstract class FollowedChunks implements AnswerRelay {
  protected readonly chunks: ChatChunkRelay;

  /** `model` is the catalog id that callers are shown. */
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

  callerLeft(): void {
    this.chunks.callerLeft();
  }

  limitReached(): void {
    this.chunks.limitReached();
  }

  /** A clean end is one, with or without a finish: what is missing is made up for. */
  upstreamEnded(): void {}

  abstract accept(text: string): string;
  abstract completed(end: AnswerEnd): Iterable<string>;
  abstract failed(envelope: ErrorEnvelope, end: FailedEnd): Iterable<string>;
}
