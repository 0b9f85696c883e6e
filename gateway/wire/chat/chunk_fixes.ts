import { editMembers, elements, members } from "../json/text.ts";

/** Corrections of one choice of a chunk. */
export interface ChoiceFix {
  readonly addRole: boolean;
  readonly dropFinish: boolean;
  /** Index to write into each tool-call delta, in order; absent where all are right. */
  readonly toolIndexes?: readonly number[] | undefined;
}

/** Returns the chunk's text with its choices corrected, one fix for each. */
export function applyFixes(text: string, fixes: readonly (ChoiceFix | undefined)[]): string {
  const choices = members(text).findLast((member) => member.key === "choices");
  if (choices === undefined) return text;
  let result = text;
  // From the last to the first, so that earlier offsets stay valid.
  for (const [at, choice] of [...elements(text, choices.valueStart).entries()].reverse()) {
    const fix = fixes[at];
    if (fix === undefined) continue;
    const fixed = fixChoice(text.slice(choice.start, choice.end), fix);
    result = result.slice(0, choice.start) + fixed + result.slice(choice.end);
  }
  return result;
}

function fixChoice(choice: string, fix: ChoiceFix): string {
  const member = members(choice).findLast((candidate) => candidate.key === "delta");
  const written = member === undefined ? "null" : choice.slice(member.valueStart, member.valueEnd);
  let delta = written.startsWith("{") ? written : "{}";
  if (fix.addRole) delta = editMembers(delta, { role: '"assistant"' });
  if (fix.toolIndexes !== undefined) delta = fixCalls(delta, fix.toolIndexes);
  return editMembers(choice, fix.dropFinish ? { delta, finish_reason: "null" } : { delta });
}

function fixCalls(delta: string, indexes: readonly number[]): string {
  const calls = members(delta).findLast((member) => member.key === "tool_calls");
  if (calls === undefined) return delta;
  const texts = elements(delta, calls.valueStart).map((call, at) =>
    editMembers(delta.slice(call.start, call.end), { index: String(indexes[at] ?? at) })
  );
  return editMembers(delta, { tool_calls: `[${texts.join(",")}]` });
}
