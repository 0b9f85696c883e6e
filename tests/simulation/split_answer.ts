/**
 * The facts that the caller of a split request received, read from the bytes alone.
 *
 * @module
 */

import { tokensOf } from "./scripted_upstream.ts";

/** The facts in an answer. */
export interface ReportedAnswer {
  /** Words by the part that wrote them, if they are marked; those of the answer are `final`. */
  readonly words: ReadonlyMap<string, number>;
  /** Charge on the last bill, in micros. */
  readonly billed: bigint | undefined;
  /** Sum of the charges of its parts; absent if none were reported. */
  readonly parts: bigint | undefined;
  /** True when it reports a failure. */
  readonly hasError: boolean;
}

interface AnswerDocument {
  readonly type?: string;
  readonly delta?: string;
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content?: string };
  }[];
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[];
  readonly metadata?: { readonly billing?: { readonly charged: string } };
  readonly orchestration?: {
    readonly task_id?: string;
    readonly tasks?: readonly { readonly charged?: string }[];
  };
  /** Resource in an event of Responses. */
  readonly response?: AnswerDocument;
}

/** Reads a body, or the part of a stream that has arrived. */
export function reportOf(text: string): ReportedAnswer {
  const words = new Map<string, number>();
  let billed: bigint | undefined;
  let parts: bigint | undefined;
  let hasError = false;
  for (const document of documentsIn(text)) {
    const resource = document.response ?? document;
    const part = document.orchestration?.task_id ?? "final";
    const count = tokensOf(wordsIn(document));
    if (count > 0) words.set(part, (words.get(part) ?? 0) + count);
    const { billing } = resource.metadata ?? {};
    if (billing !== undefined) billed = micros(billing.charged);
    const { tasks } = resource.orchestration ?? {};
    if (tasks !== undefined) parts = tasks.reduce((sum, { charged }) => sum + micros(charged), 0n);
    hasError ||= (resource.error ?? undefined) !== undefined;
  }
  return { words, billed, parts, hasError };
}

function wordsIn({ type, delta, choices, output }: AnswerDocument): string {
  if (type !== undefined) return type.endsWith(".delta") ? delta ?? "" : "";
  const whole = (output ?? []).flatMap(({ content }) => content ?? []).map(({ text }) =>
    text ?? ""
  );
  const [choice] = choices ?? [];
  return choice?.delta?.content ?? choice?.message?.content ?? whole.join("");
}

function documentsIn(text: string): AnswerDocument[] {
  if (text.startsWith("{")) return [JSON.parse(text)];
  return text.split("\n\n").slice(0, -1).flatMap((event) => {
    const line = event.split("\n").find((line) => line.startsWith("data: "))?.slice(6);
    return line === undefined || line === "[DONE]" ? [] : [JSON.parse(line) as AnswerDocument];
  });
}

function micros(credits = "0"): bigint {
  return BigInt(credits.replace(".", ""));
}
