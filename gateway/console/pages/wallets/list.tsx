import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { type Wallet, walletsShape } from "./answers.ts";
import { walletMessages } from "./messages.ts";

/** Every wallet, to sort and to filter. */
export const walletList: Page = { path: "/wallets", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(walletMessages);
  const { wallets } = view.need(await view.api.get("/wallets", walletsShape));
  const shown = wallets.filter(({ id, tier, low }) =>
    ui.hasText(view, "name", [id]) && ui.hasValue(view, "tier", [tier]) &&
    ui.hasValue(view, "balance", [low ? "low" : undefined])
  );
  const tiers = [...new Set(wallets.map((each) => each.tier))].sort();
  return {
    title: say.title,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/wallets/-/new">{say.new}</a>
        </ui.PageHead>
        <ui.FilterForm view={view}>
          <ui.FilterText view={view} name="name" label={say.filterId} />
          <ui.FilterSelect
            view={view}
            name="tier"
            label={say.filterTier}
            all={say.anyTier}
            options={tiers}
          />
          <ui.FilterSelect
            view={view}
            name="balance"
            label={say.balance}
            all={say.anyBalance}
            options={[["low", say.lowOnly]]}
          />
        </ui.FilterForm>
        <WalletTable view={view} rows={shown} all={wallets.length} />
      </>
    ),
  };
}

function WalletTable({ view, rows, all }: InView<{ rows: readonly Wallet[]; all: number }>) {
  const say = view.say(walletMessages);
  const amount = (id: "available" | "held" | "spent" | "credits"): ui.Column<Wallet> => ({
    id,
    title: say[id],
    align: "end",
    cell: (row: Wallet) => <ui.Credits amount={row[id]} />,
    sort: (row: Wallet) => ui.creditsOrder(row[id]),
  });
  return (
    <ui.DataTable
      view={view}
      caption={say.caption}
      count={say.count(rows.length, all)}
      rows={rows}
      href={({ id }) => `/console/wallets/${encodeURIComponent(id)}`}
      columns={[
        { id: "id", title: say.id, isHeader: true, cell: (row) => row.id, sort: (row) => row.id },
        {
          id: "tier",
          title: say.tier,
          cell: (row) => <ui.Badge kind="neutral">{row.tier}</ui.Badge>,
          sort: (row) => row.tier,
        },
        {
          ...amount("available"),
          cell: ({ available, low }) => (
            <>
              {low && <ui.Badge kind="warn">{say.low}</ui.Badge>} <ui.Credits amount={available} />
            </>
          ),
        },
        amount("held"),
        amount("spent"),
        amount("credits"),
      ]}
      empty={
        <ui.EmptyState
          title={all === 0 ? say.none : say.noneFound}
          hint={all === 0 ? say.noneHint : say.noneFoundHint}
        />
      }
    />
  );
}
