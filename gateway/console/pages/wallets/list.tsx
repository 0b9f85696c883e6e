import * as ui from "../../components/mod.ts";
import type { Page } from "../../page.ts";
import type { Wallet } from "./answers.ts";
import { walletMessages } from "./messages.ts";

/** Every wallet, to sort and to filter. */
export const walletList: Page = {
  path: "/wallets",
  async show(view) {
    const say = view.say(walletMessages);
    const { wallets } = await view.load("GET /wallets");
    const tiers = [...new Set(wallets.map(({ tier }) => tier))].sort();
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
    return ui.listPage<Wallet>(view, {
      say,
      rows: wallets,
      add: { href: "/console/wallets/-/new", text: say.new },
      href: ({ id }) => `/console/wallets/${encodeURIComponent(id)}`,
      filters: [
        { name: "name", label: say.filterId, texts: ({ id }) => [id] },
        {
          ...{ name: "tier", label: say.tier, all: say.anyTier, options: tiers },
          values: ({ tier }) => [tier],
        },
        {
          ...{ name: "balance", label: say.balance, all: say.anyBalance },
          options: [["low", say.lowOnly]],
          values: ({ low }) => [low ? "low" : undefined],
        },
      ],
      columns: [
        ui.column(say.id, ({ id }) => id, { id: "id", isHeader: true, sort: ({ id }) => id }),
        ui.column(say.tier, ({ tier }) => <ui.Badge kind="neutral">{tier}</ui.Badge>, {
          id: "tier",
          sort: ({ tier }) => tier,
        }),
        ...(["available", "held", "spent", "credits"] as const).map(amount),
      ],
    });
  },
};
