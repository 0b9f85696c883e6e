import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import type { Hold, Wallet } from "./answers.ts";
import { walletMessages } from "./messages.ts";
import { Statement, statementOf } from "./statement.tsx";

/** Open holds that are shown, at most: the oldest. */
const HOLDS_SHOWN = "500";

/** One wallet: what it has, what is held, and every entry of its journal. */
export const showWallet: Page = { path: "/wallets/:id", show: (view) => shown(view), change };

/** The low-balance mark is the one thing that is changed here. */
async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const id = view.param("id");
  const below = form.get("below")?.trim() ?? "";
  const marked = await view.api.call("POST /wallets/{id}/low-balance", {
    id,
    body: { below: below === "" ? null : below },
  });
  if (!marked.ok) return await shown(view, { refusal: marked.refusal, below });
  return { goTo: `/wallets/${encodeURIComponent(id)}`, done: view.say(walletMessages).lowSaved };
}

async function shown(view: View, wrong?: { refusal: Refusal; below: string }): Promise<Shown> {
  const say = view.say(walletMessages);
  const id = view.param("id");
  const wallet = await view.load("GET /wallets/{id}", { id });
  const query = { limit: HOLDS_SHOWN };
  const { holds: open, cursor } = await view.load("GET /wallets/{id}/holds", { id, query });
  const ids = new Set(open.map((hold) => hold.id));
  const statement = await statementOf(view, id, { ids, isAll: cursor === null });
  return {
    title: wallet.id,
    status: wrong === undefined && statement.ok ? 200 : 422,
    body: (
      <>
        <WalletHead view={view} wallet={wallet} />
        {wallet.low && <ui.Notice kind="problem">{say.isLow}</ui.Notice>}
        <ui.Figures
          items={[
            { name: say.available, value: <ui.Credits amount={wallet.available} /> },
            { name: say.held, value: <ui.Credits amount={wallet.held} /> },
            {
              name: say.spent,
              value: <ui.Credits amount={wallet.spent} />,
              ...ui.creditsOrder(wallet.writtenOff) === 0n
                ? {}
                : { remark: say.writtenOff(ui.trimmedCredits(wallet.writtenOff)) },
            },
            { name: say.credits, value: <ui.Credits amount={wallet.credits} /> },
          ]}
        />
        <Statement view={view} walletId={wallet.id} statement={statement} />
        <ui.Panel title={say.holds}>
          <p class="hint">{say.holdsHint}</p>
          <HoldTable view={view} rows={open} />
          {cursor !== null && <p class="hint">{say.moreHolds}</p>}
        </ui.Panel>
        <LowMark view={view} wallet={wallet} {...wrong} />
      </>
    ),
  };
}

function WalletHead({ view, wallet }: InView<{ wallet: Wallet }>) {
  const say = view.say(walletMessages);
  const id = encodeURIComponent(wallet.id);
  const intro = (
    <>
      {say.tier} <ui.Badge kind="neutral">{wallet.tier}</ui.Badge>{" "}
      {wallet.low && <ui.Badge kind="warn">{say.low}</ui.Badge>}
      {wallet.closedAt !== null && <ui.Badge kind="warn">{say.closed}</ui.Badge>}
    </>
  );
  return (
    <ui.PageHead title={wallet.id} intro={intro}>
      <a class="button primary" href={`/console/wallets/${id}/credit`}>{say.credit}</a>
      <a class="button" href={`/console/keys/new?wallet=${id}`}>{say.newKey}</a>
      <a class="button" href={`/console/keys?wallet=${id}`}>{say.keys}</a>
      {wallet.closedAt === null && view.actor?.rights.includes("wallets") && (
        <Corrections view={view} id={id} />
      )}
    </ui.PageHead>
  );
}

/** The ways to correct a wallet. */
function Corrections({ view, id }: InView<{ id: string }>) {
  const say = view.say(walletMessages);
  return (
    <>
      {(["debit", "adjust", "tier", "close"] as const).map((kind) => (
        <a class="button" href={`/console/wallets/${id}/${kind}`}>{say.corrections[kind]}</a>
      ))}
    </>
  );
}

function HoldTable({ view, rows }: InView<{ rows: readonly Hold[] }>) {
  const say = view.say(walletMessages);
  return (
    <ui.DataTable<Hold>
      view={view}
      caption={say.holds}
      rows={rows}
      cursor={null}
      columns={[
        ui.column(say.hold, ({ id }) => <code>{id}</code>, { isHeader: true }),
        ui.column(say.since, ({ at }) => <ui.Time at={at} />),
        ui.column(say.model, ({ model }) => model),
        ui.column(say.key, ({ key }) => (
          <a href={`/console/keys/${encodeURIComponent(key)}`}>
            <code>{key}</code>
          </a>
        )),
        ui.endColumn(say.amountHeld, ({ amount }) => <ui.Credits amount={amount} />),
      ]}
      empty={<ui.EmptyState title={say.noHolds} hint={say.noHoldsHint} />}
    />
  );
}

function LowMark(
  { view, wallet, refusal, below }: InView<{ wallet: Wallet; refusal?: Refusal; below?: string }>,
) {
  const say = view.say(walletMessages);
  const { lowBelow, lowBelowSet } = wallet;
  const mark = ui.trimmedCredits(lowBelow);
  return (
    <ui.Panel title={say.lowMark}>
      <p>{lowBelowSet ? say.lowMarkSet(mark) : say.lowMarkPart(mark)}</p>
      <form method="post" class="mark-form" autocomplete="off">
        <ui.Field
          {...{ name: "below", label: say.lowBelow, hint: say.lowBelowHint }}
          {...{ inputmode: "decimal", maxLength: 40, error: ui.fieldError(refusal, "below") }}
          value={below ?? (lowBelowSet ? lowBelow : "")}
        />
        <button type="submit" class="button">{say.lowSave}</button>
      </form>
    </ui.Panel>
  );
}
