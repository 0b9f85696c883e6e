import * as ui from "../console/components/mod.ts";
import type { InReading, Reading } from "../console/page.ts";
import { Budgets } from "../console/pages/keys/budgets.tsx";
import { keyMessages } from "../console/pages/keys/messages.ts";
import { limitsOf, pinOf } from "../console/pages/keys/policy_text.ts";
import type { OwnAnswer } from "../admin_api/key_holder.ts";
import { BUDGET_WINDOWS } from "../domain/policy/key_budget.ts";
import { ownMessages } from "./messages.ts";
import type { HolderPage, HolderView } from "./view.ts";

type OwnKey = OwnAnswer<"key">;

/** A limit with its remainder. */
interface Left {
  readonly name: string;
  readonly limit: string;
  readonly remaining: string;
}

/** The key: its policy, and what is left of its limits, its budgets and its wallet. */
export async function keyPage(view: HolderView): Promise<HolderPage> {
  const say = view.say(ownMessages);
  const { key, endsAtMs } = view.session;
  const own = await view.records.key(key);
  const until = new Date(endsAtMs).toISOString().slice(0, 16).replace("T", " ");
  return {
    title: own.name,
    body: (
      <>
        <ui.PageHead title={own.name} intro={say.keyIntro(until)} />
        <div class="two-columns">
          <div class="stack">
            <About view={view} own={own} />
            <Budgets view={view} policy={own.policy} spend={own.spend} budgets={own.budgets} />
          </div>
          <div class="stack">
            <LeftPanel view={view} own={own} />
            <Policy view={view} own={own} />
          </div>
        </div>
      </>
    ),
  };
}

function About({ view, own }: InReading<{ own: OwnKey }>) {
  const say = view.say(ownMessages);
  const { id, hint, createdAt, lastUsedAt, expiresAt, wallet, logContent } = own;
  const time = (at: string | null) => at === null ? say.never : <ui.Time at={at} />;
  const name = say.names;
  const paid = wallet === null ? [[say.wallet, say.walletHidden] as const] : [
    [say.wallet, wallet.id] as const,
    [say.tier, wallet.tier] as const,
    [say.available, <ui.Credits key="available" amount={wallet.available} />] as const,
    [say.held, <ui.Credits key="held" amount={wallet.held} />] as const,
  ];
  return (
    <ui.Panel title={say.about}>
      <ui.DefinitionList
        items={[
          [name.id, <code key="id">{id}</code>],
          [name.hint, <code key="hint">{hint}</code>],
          [name.created, time(createdAt)],
          [name.lastUsed, time(lastUsedAt)],
          [say.expires, time(expiresAt)],
          ...paid,
          ...pinOf(view, own.embeddings),
          [say.logContent, logContent ? say.contentOn : say.contentOff],
        ]}
      />
    </ui.Panel>
  );
}

function LeftPanel({ view, own }: InReading<{ own: OwnKey }>) {
  const say = view.say(ownMessages);
  const rows = [...leftOf(own, say.limits), ...leftOfNames(view, own)];
  return (
    <ui.Panel title={say.left}>
      {rows.length === 0 ? <p class="muted">{say.noLimits}</p> : (
        <ui.Sheet<Left>
          caption={say.left}
          rows={rows}
          columns={[
            ui.column(say.limit, ({ name }) => name, { isHeader: true }),
            ui.endColumn(
              say.remaining,
              ({ remaining, limit }) => <span class="number">{remaining} / {limit}</span>,
            ),
          ]}
        />
      )}
    </ui.Panel>
  );
}

/** Returns the limits that the key has, in the order of the budgets and then of the rates. */
function leftOf(
  { policy, remaining, limits }: OwnKey,
  names: Readonly<Record<keyof OwnKey["remaining"] | keyof OwnKey["limits"], string>>,
): readonly Left[] {
  const budgets = (["day", "month", "total"] as const).flatMap((window) => {
    const [limit, rest] = [policy.budget?.[window], remaining[window]];
    if (limit === undefined || rest === null) return [];
    const texts = { limit: ui.trimmedCredits(limit), remaining: ui.trimmedCredits(rest) };
    return [{ name: names[window], ...texts }];
  });
  const rates = (["requestsPerMinute", "tokensPerMinute", "concurrentRequests"] as const)
    .flatMap((name) => {
      const rate = limits[name];
      if (rate === null) return [];
      const [limit, rest] = [rate.limit, rate.remaining].map((each) =>
        each.toLocaleString("en-US")
      );
      return [{ name: names[name], limit: limit ?? "", remaining: rest ?? "" }];
    });
  return [...budgets, ...rates];
}

/** Returns the budgets of users and tags, in the order of the policy. */
function leftOfNames(view: Reading, { policy, budgets }: OwnKey): readonly Left[] {
  const say = view.say(keyMessages);
  const { limits } = view.say(ownMessages);
  return budgets.flatMap(({ user, tag, remaining }, at) => {
    const whose = user === null ? say.ofTag(tag ?? "") : say.ofUser(user);
    return BUDGET_WINDOWS.flatMap((window) => {
      const [limit, rest] = [policy.budgets?.[at]?.[window], remaining[window]];
      if (limit === undefined || rest === null) return [];
      const texts = { limit: ui.trimmedCredits(limit), remaining: ui.trimmedCredits(rest) };
      return [{ name: `${whose}: ${limits[window]}`, ...texts }];
    });
  });
}

function Policy({ view, own }: InReading<{ own: OwnKey }>) {
  const limits = limitsOf(view, own.policy);
  return (
    <ui.Panel title={view.say(ownMessages).policy}>
      <ui.DefinitionList items={limits.map(({ name, value }) => [name, value] as const)} />
    </ui.Panel>
  );
}
