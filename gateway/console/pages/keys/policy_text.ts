import * as ui from "../../components/mod.ts";
import { ROOM_PARTS } from "../../../domain/policy/file_quota.ts";
import { dialText } from "../../../domain/routing/dial.ts";
import type { Reading } from "../../page.ts";
import type { Pin, Policy } from "./answers.ts";
import { type FieldName, formMessages } from "./form_messages.ts";
import { lineOf, LIST_FIELDS } from "./policy_form.ts";

/**
 * Returns the limits of a policy, field by field, in the order of its form. Fields without a limit are
 * left out.
 */
export function limitsOf(
  view: Reading,
  policy: Policy,
): readonly { readonly field: FieldName; readonly name: string; readonly value: string }[] {
  const say = view.say(formMessages);
  const { auto, budget, embeddings, files, orchestration } = policy;
  const credits = (amount: string | undefined) =>
    amount === undefined ? undefined : ui.trimmedCredits(amount);
  const values: readonly (readonly [FieldName, string | undefined])[] = [
    ...LIST_FIELDS.map((field) => [field, listText(policy[field])] as const),
    ["maxChargePerRequest", credits(policy.maxChargePerRequest)],
    ["budget_day", credits(budget?.day)],
    ["budget_month", credits(budget?.month)],
    ["budget_total", credits(budget?.total)],
    ["budgets", policy.budgets?.map(lineOf).join("; ")],
    ["requiredTags", listText(policy.requiredTags)],
    ["requiredUser", policy.requiredUser === true ? say.userChoices.on[0] : undefined],
    ["requestsPerMinute", countText(policy.requestsPerMinute)],
    ["tokensPerMinute", countText(policy.tokensPerMinute)],
    ["concurrentRequests", countText(policy.concurrentRequests)],
    ["ipRanges", listText(policy.ipRanges)],
    ["expiresAt", minuteText(policy.expiresAt)],
    ["mode", say.modes[orchestration?.mode ?? "auto"][0]],
    ["stream", say.streams[orchestration?.stream ?? "all"][0]],
    ["dialect", say.dialects[policy.dialect ?? "auto"][0]],
    ["auto_dial", dialName(auto?.dial)],
    ["auto_maxDial", dialName(auto?.maxDial)],
    ["auto_qualityFloor", auto?.qualityFloor?.toString()],
    ["auto_verify", auto?.verify && say.verifyModes[auto.verify][0]],
    ["auto_audits", auto?.audits === true ? say.auditChoices.on[0] : undefined],
    ["wallet_sight", policy.wallet === "hidden" ? say.walletSights.hidden[0] : undefined],
    ...ROOM_PARTS.map((part) => [`files_${part}` as const, countText(files?.[part])] as const),
    ["embeddings_model", embeddings?.model],
    ["embeddings_dimensions", countText(embeddings?.dimensions)],
  ];
  return values.flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, name: say.fields[field], value }]
  );
}

/** Returns the embedding model that a key keeps; nothing before its first call. */
export function pinOf(
  view: Reading,
  pin: Pin,
): readonly (readonly [name: string, value: string])[] {
  const say = view.say(formMessages);
  return pin === null ? [] : [[say.pinned, say.pin(pin.model, pin.dimensions)]];
}

/** Limits that a list of keys names of each. */
const NAMED = 3;

/** Summarises a policy for a list of keys: the first few limits, and the number of the others. */
export function policyInShort(view: Reading, policy: Policy): string {
  const texts = limitsOf(view, policy)
    .filter(({ field }) =>
      !["mode", "stream", "dialect", "wallet_sight"].includes(field) && !field.startsWith("auto_")
    )
    .map(({ field, name, value }) => {
      const list = field === "ipRanges" ? field : LIST_FIELDS.find((each) => each === field);
      const items = list === undefined ? [] : policy[list] ?? [];
      return `${name}: ${items.length > 1 ? items.length : value}`;
    });
  const more = texts.length > NAMED ? [`+${texts.length - NAMED}`] : [];
  return [...texts.slice(0, NAMED), ...more].join(" · ");
}

function listText(list: readonly string[] | undefined): string | undefined {
  return list === undefined ? undefined : list.length === 0 ? "–" : list.join(", ");
}

/** A time in UTC, as the field's name says, to the second where it has any. */
function minuteText(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? "");
  if (Number.isNaN(ms)) return time;
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ").replace(/:00$/, "");
}

function dialName(dial: number | undefined): string | undefined {
  return dial === undefined ? undefined : dialText(dial);
}

function countText(count: number | undefined): string | undefined {
  return count?.toLocaleString("en-US");
}
