/**
 * What the caller of a split request was told, read from the bytes alone.
 *
 * @module
 */

import { tokensOf } from "./scripted_upstream.ts";

/** What was told. */
export interface ToldAnswer {
  /** Words by the part that said them, where they were told apart; the answer's are `final`. */
  readonly words: ReadonlyMap<string, number>;
  /** What the bill says, in micro-credits; the last that was told. */
  readonly billed: bigint | undefined;
  /** What its parts add up to; absent where none were told. */
  readonly parts: bigint | undefined;
  /** Whether it says that it failed. */
  readonly hasError: boolean;
}

interface Told {
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
  /** Of an event of Responses: the resource as it is then. */
  readonly response?: Told;
}

/** Reads a body, or as much of a stream as has come. */
export function toldBy(text: string): ToldAnswer {
  const words = new Map<string, number>();
  let billed: bigint | undefined;
  let parts: bigint | undefined;
  let hasError = false;
  for (const said of documentsIn(text)) {
    const told = said.response ?? said;
    const part = said.orchestration?.task_id ?? "final";
    const count = tokensOf(wordsIn(said));
    if (count > 0) words.set(part, (words.get(part) ?? 0) + count);
    const { billing } = told.metadata ?? {};
    if (billing !== undefined) billed = micros(billing.charged);
    const { tasks } = told.orchestration ?? {};
    if (tasks !== undefined) parts = tasks.reduce((sum, { charged }) => sum + micros(charged), 0n);
    hasError ||= (told.error ?? undefined) !== undefined;
  }
  return { words, billed, parts, hasError };
}

function wordsIn({ type, delta, choices, output }: Told): string {
  if (type !== undefined) return type.endsWith(".delta") ? delta ?? "" : "";
  const whole = (output ?? []).flatMap(({ content }) => content ?? []).map(({ text }) =>
    text ?? ""
  );
  const [choice] = choices ?? [];
  return choice?.delta?.content ?? choice?.message?.content ?? whole.join("");
}

function documentsIn(text: string): Told[] {
  if (text.startsWith("{")) return [JSON.parse(text)];
  return text.split("\n\n").slice(0, -1).flatMap((event) => {
    const line = event.split("\n").find((line) => line.startsWith("data: "))?.slice(6);
    return line === undefined || line === "[DONE]" ? [] : [JSON.parse(line) as Told];
  });
}

function micros(credits = "0"): bigint {
  return BigInt(credits.replace(".", ""));
}
