import { groupedCredits } from "../../components/credits_order.ts";
import type { View } from "../../page.ts";
import type { Policy } from "./answers.ts";
import { type FieldName, formMessages } from "./form_messages.ts";
import { LIST_FIELDS } from "./policy_form.ts";

/** What a policy limits, field by field, in the order of its form. What it leaves open is left out. */
export function limitsOf(
  view: View,
  policy: Policy,
): readonly { readonly field: FieldName; readonly name: string; readonly value: string }[] {
  const say = view.say(formMessages);
  const { budget, orchestration } = policy;
  const credits = (amount: string | undefined) =>
    amount === undefined ? undefined : groupedCredits(amount);
  const values: readonly (readonly [FieldName, string | undefined])[] = [
    ...LIST_FIELDS.map((field) => [field, listText(policy[field])] as const),
    ["maxChargePerRequest", credits(policy.maxChargePerRequest)],
    ["budget_day", credits(budget?.day)],
    ["budget_month", credits(budget?.month)],
    ["budget_total", credits(budget?.total)],
    ["requestsPerMinute", countText(policy.requestsPerMinute)],
    ["tokensPerMinute", countText(policy.tokensPerMinute)],
    ["concurrentRequests", countText(policy.concurrentRequests)],
    ["ipRanges", listText(policy.ipRanges)],
    ["expiresAt", policy.expiresAt],
    ["mode", say.modes[orchestration?.mode ?? "auto"][0]],
    ["stream", say.streams[orchestration?.stream ?? "all"][0]],
  ];
  return values.flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, name: say.fields[field], value }]
  );
}

/** Which fields of a policy limit anything, for a list of keys; orchestration is told where it is off. */
export function policyInShort(view: View, policy: Policy): string {
  return limitsOf(view, policy)
    .filter(({ field }) => field !== "mode" && field !== "stream")
    .map(({ field, name, value }) => {
      const list = LIST_FIELDS.find((each) => each === field);
      const items = list === undefined ? undefined : policy[list];
      return items !== undefined && items.length > 1
        ? `${name}: ${items.length}`
        : `${name}: ${value}`;
    }).join(" · ");
}

function listText(list: readonly string[] | undefined): string | undefined {
  return list === undefined ? undefined : list.length === 0 ? "–" : list.join(", ");
}

function countText(count: number | undefined): string | undefined {
  return count?.toLocaleString("en-US");
}
