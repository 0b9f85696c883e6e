import { type Column, DataTable } from "../../components/data_table.tsx";
import { EmptyState } from "../../components/empty_state.tsx";
import {
  FilterForm,
  FilterSelect,
  FilterText,
  hasText,
  hasValue,
} from "../../components/filter_form.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Badge } from "../../components/badge.tsx";
import { Credits } from "../../components/credits.tsx";
import { creditsOrder } from "../../components/credits_order.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { type Wallet, walletsShape } from "./answers.ts";
import { walletMessages } from "./messages.ts";

/** Every wallet, to sort and to filter. */
export const walletList: Page = { path: "/wallets", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(walletMessages);
  const { wallets } = view.need(await view.api.get("/wallets", walletsShape));
  const shown = wallets.filter(({ id, tier, low }) =>
    hasText(view, "name", [id]) && hasValue(view, "tier", [tier]) &&
    hasValue(view, "balance", [low ? "low" : undefined])
  );
  const tiers = [...new Set(wallets.map((each) => each.tier))].sort();
  return {
    title: say.title,
    body: (
      <>
        <PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/wallets/-/new">{say.new}</a>
        </PageHead>
        <FilterForm view={view}>
          <FilterText view={view} name="name" label={say.filterId} />
          <FilterSelect
            view={view}
            name="tier"
            label={say.filterTier}
            all={say.anyTier}
            options={tiers}
          />
          <FilterSelect
            view={view}
            name="balance"
            label={say.balance}
            all={say.anyBalance}
            options={[["low", say.lowOnly]]}
          />
        </FilterForm>
        <WalletTable view={view} rows={shown} all={wallets.length} />
      </>
    ),
  };
}

function WalletTable({ view, rows, all }: InView<{ rows: readonly Wallet[]; all: number }>) {
  const say = view.say(walletMessages);
  const amount = (id: "available" | "held" | "spent" | "credits"): Column<Wallet> => ({
    id,
    title: say[id],
    align: "end",
    cell: (row: Wallet) => <Credits amount={row[id]} />,
    sort: (row: Wallet) => creditsOrder(row[id]),
  });
  return (
    <DataTable
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
          cell: (row) => <Badge kind="neutral">{row.tier}</Badge>,
          sort: (row) => row.tier,
        },
        {
          ...amount("available"),
          cell: ({ available, low }) => (
            <>
              {low && <Badge kind="warn">{say.low}</Badge>} <Credits amount={available} />
            </>
          ),
        },
        amount("held"),
        amount("spent"),
        amount("credits"),
      ]}
      empty={
        <EmptyState
          title={all === 0 ? say.none : say.noneFound}
          hint={all === 0 ? say.noneHint : say.noneFoundHint}
        />
      }
    />
  );
}
