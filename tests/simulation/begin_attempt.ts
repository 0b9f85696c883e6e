import { writtenTokens } from "../../gateway/domain/requests/written_tokens.ts";
import type { UpstreamCall } from "../../gateway/ports/upstream.ts";
import type { Caller } from "./caller.ts";
import type { Attempt } from "./scripted_upstream.ts";
import { partOf, partScript } from "./split_question.ts";

/** Prefix of a model's name at its upstream. */
const UPSTREAM_PREFIX = "real-";
/** Parts that no other part of their request runs beside; a request in one piece is "plain". */
const LONE_PARTS: readonly string[] = ["plan", "plain"];

/** Records one more call for a request, with its planned course. */
export function beginAttempt(
  caller: Caller,
  { body, heldOutputTokens = Infinity, model }: UpstreamCall,
  { drains }: { readonly drains: boolean },
): Attempt {
  const { question, attempts } = caller;
  const { part, ...sent } = partOf(body.value);
  const before = attempts.filter((attempt) => attempt.part === part);
  const answered = before.filter(({ failure }) => failure === undefined).length;
  const script = partScript(question, { part, answered });
  const attempt: Attempt = {
    ...{ request: caller.number, part, script, drains, ...sent },
    model: model.slice(UPSTREAM_PREFIX.length),
    // Tasks of a request run at once: only their costs show which hold belongs to which.
    holdId: LONE_PARTS.includes(part) ? caller.holds.at(-1) : undefined,
    failure: script.failures[before.length],
    passesLimit: writtenTokens(script.says ?? "") > heldOutputTokens,
    ...{ words: 0, usage: undefined },
    ...{ ended: false, finished: false, cancelled: false, over: false },
  };
  attempts.push(attempt);
  return attempt;
}
