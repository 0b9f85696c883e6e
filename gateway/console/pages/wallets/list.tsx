import { SORTED_MAX, sortFields, WALLET_SORTS } from "../../../admin_api/sorts.ts";
import * as ui from "../../components/mod.ts";
import type { Page, View } from "../../page.ts";
import type { Wallet } from "./answers.ts";
import { walletMessages } from "./messages.ts";

/** Every wallet, to sort and to filter. */
export const walletList: Page = {
  path: "/wallets",
  async show(view) {
    const say = view.say(walletMessages);
    const [{ wallets, cursor, total }, { content }] = await Promise.all([
      view.load("GET /wallets", { query: queryOf(view) }),
      view.load("GET /catalog"),
    ]);
    return ui.listPage<Wallet>(view, {
      say,
      rows: wallets,
      page: { cursor, total, sortsBy: (id) => id === "id" || total <= SORTED_MAX },
      add: { href: "/console/wallets/-/new", text: say.new },
      above: (
        <p>
          <a href="/console/wallets/-/corrections">{say.waiting}</a>
        </p>
      ),
      href: ({ id }) => `/console/wallets/${encodeURIComponent(id)}`,
      filters: [
        { name: "name", label: say.filterId, isApiText: true },
        {
          ...{ name: "tier", label: say.tier },
          apiChoices: { all: say.anyTier, options: content.tiers.map(({ id }) => id).sort() },
        },
        {
          ...{ name: "balance", label: say.balance },
          apiChoices: { all: say.anyBalance, options: [["low", say.lowOnly]] },
        },
      ],
      columns: columnsOf(view),
    });
  },
};

function queryOf(view: View) {
  const text = (name: string) => ui.filterText(view, name) || undefined;
  return {
    q: text("name"),
    tier: text("tier"),
    low: text("balance") === "low" ? "true" : undefined,
    sort: ui.sortOf(view, sortFields(WALLET_SORTS)),
    cursor: text("cursor"),
    limit: String(ui.ROWS_PER_PAGE),
  };
}

function columnsOf(view: View): readonly ui.Column<Wallet>[] {
  const say = view.say(walletMessages);
  const amount = (id: "available" | "held" | "spent" | "credits") =>
    ui.endColumn<Wallet>(
      say[id],
      (row) => (
        <>
          {id === "available" && row.low && <ui.Badge kind="warn">{say.low}</ui.Badge>}{" "}
          <ui.Credits amount={row[id]} />
        </>
      ),
      { id, sort: (row) => ui.creditsOrder(row[id]) },
    );
  return [
    ui.column(say.id, ({ id }) => id, { id: "id", isHeader: true, sort: ({ id }) => id }),
    ui.column(say.tier, ({ tier }) => <ui.Badge kind="neutral">{tier}</ui.Badge>, {
      id: "tier",
      sort: ({ tier }) => tier,
    }),
    ...(["available", "held", "spent", "credits"] as const).map(amount),
  ];
}
