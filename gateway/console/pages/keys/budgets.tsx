import { parseCredits } from "../../../domain/ledger/money.ts";
import * as ui from "../../components/mod.ts";
import type { InReading } from "../../page.ts";
import type { Policy } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** Part of a budget from which on its bar warns, in percent. */
const HIGH_PERCENT = 90;

/** The spend of a key and of those that it replaced, beside their budgets. */
export function Budgets({ view, policy, spend }: InReading<{
  policy: Policy;
  spend: Readonly<Record<"day" | "month" | "total" | "held", string>>;
}>) {
  const say = view.say(keyMessages);
  return (
    <ui.Panel title={say.spent}>
      <p class="hint">{say.spentHint}</p>
      <div class="budgets">
        {(["day", "month", "total"] as const).map((window) => (
          <Budget
            view={view}
            name={say.windows[window]}
            spent={spend[window]}
            held={spend.held}
            budget={policy.budget?.[window]}
          />
        ))}
        <div>
          <p class="hint">{say.held}</p>
          <ui.Credits amount={spend.held} />
        </div>
      </div>
    </ui.Panel>
  );
}

function Budget({ view, name, spent, held, budget }: InReading<{
  name: string;
  spent: string;
  held: string;
  budget: string | undefined;
}>) {
  const say = view.say(keyMessages);
  const percent = budget === undefined ? 0 : percentOf(spent, held, budget);
  return (
    <div class={percent >= HIGH_PERCENT ? "budget budget-high" : "budget"}>
      <p class="hint">{name}</p>
      <p>
        <ui.Credits amount={spent} />{" "}
        <span class="hint">
          {budget === undefined ? say.noBudget : say.ofBudget(ui.trimmedCredits(budget))}
        </span>
      </p>
      {budget !== undefined && (
        <progress max={100} value={percent} aria-label={name}>{`${percent} %`}</progress>
      )}
    </div>
  );
}

/** Returns the part of a budget that is spent or held, in whole percent. */
function percentOf(spent: string, held: string, budget: string): number {
  const [used, most] = [
    (parseCredits(spent) ?? 0n) + (parseCredits(held) ?? 0n),
    parseCredits(budget),
  ];
  if (most === undefined || most === 0n) return 100;
  const percent = Number(used * 100n / most);
  return Math.min(100, percent);
}
