import { parseCredits } from "../../../domain/ledger/money.ts";
import * as ui from "../../components/mod.ts";
import type { InReading } from "../../page.ts";
import type { Policy, Shown } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** Part of a budget from which on its bar warns, in percent. */
const HIGH_PERCENT = 90;

const WINDOWS = ["day", "month", "total"] as const;
type Window = (typeof WINDOWS)[number];
type Spend = Readonly<Record<Window | "held", string>>;

/** The spend of a key and of those that it replaced, beside their budgets. */
export function Budgets({ view, policy, spend, budgets }: InReading<{
  policy: Policy;
  spend: Spend;
  budgets: Shown["budgets"];
}>) {
  const say = view.say(keyMessages);
  return (
    <ui.Panel title={say.spent}>
      <p class="hint">{say.spentHint}</p>
      <div class="budgets">
        {WINDOWS.map((window) => (
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
      {budgets.map((each, at) => (
        <NamedBudgets view={view} budget={policy.budgets?.[at] ?? {}} of={each} />
      ))}
    </ui.Panel>
  );
}

/** The budgets of a user or of a tag. */
function NamedBudgets({ view, budget, of: { user, tag, spend } }: InReading<{
  budget: Partial<Record<Window, string | undefined>>;
  of: Shown["budgets"][number];
}>) {
  const say = view.say(keyMessages);
  const name = user === null ? say.ofTag(tag ?? "") : say.ofUser(user);
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <div class="budgets">
        {WINDOWS.filter((window) => budget[window] !== undefined).map((window) => (
          <Budget
            view={view}
            name={say.windows[window]}
            spent={spend[window]}
            held={spend.held}
            budget={budget[window]}
          />
        ))}
      </div>
    </section>
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
