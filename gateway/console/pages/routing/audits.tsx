import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import type { AuditBudget } from "./answers.ts";
import { routingMessages } from "./messages.ts";
import { TryForm } from "./try_form.tsx";

/** The audits that a daily budget buys. */
export function AuditPanel({ view, budget, wrong }: InView<{
  budget: AuditBudget | undefined;
  wrong: string | undefined;
}>) {
  const say = view.say(routingMessages);
  return (
    <ui.Panel title={say.audits}>
      <p class="hint">{say.auditsHint}</p>
      <TryForm view={view} name="credits" submit={say.compute}>
        <ui.Field
          name="credits"
          label={say.auditsField}
          value={view.query.get("credits") ?? DEFAULT_CREDITS}
          inputmode="decimal"
          maxLength={20}
          error={wrong}
        />
      </TryForm>
      {budget !== undefined && <Bought view={view} budget={budget} />}
    </ui.Panel>
  );
}

/** The budget where the page's address names none. */
export const DEFAULT_CREDITS = "10";

function Bought({ view, budget }: InView<{ budget: AuditBudget }>) {
  const say = view.say(routingMessages);
  const { auditCredits, basis, auditsPerDay, limit, errorAfterWeek } = budget;
  if (auditCredits === null || basis === null || auditsPerDay === null || limit === null) {
    return <p class="muted">{say.noAudits}</p>;
  }
  const error = errorAfterWeek === null ? "–" : `± ${ui.percentText(errorAfterWeek, 1)}`;
  return (
    <ui.Figures
      items={[
        {
          name: say.auditCost,
          value: <ui.RoundedCredits amount={auditCredits} />,
          remark: say.basis[basis],
        },
        {
          name: say.auditsPerDay,
          value: <ui.RoundedCount value={auditsPerDay} />,
          remark: say.limits[limit],
        },
        { name: say.errorAfterWeek, value: error, remark: say.errorHint },
      ]}
    />
  );
}
