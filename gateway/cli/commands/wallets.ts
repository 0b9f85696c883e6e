import type { AnswerOf } from "../../admin_api/operations.ts";
import { UnclearFailure } from "../admin_client.ts";
import type { Call, Command, Output, Page } from "../command.ts";
import { CliFailure } from "../failures.ts";
import { timeRange } from "../output/local_time.ts";
import { amount, type Column, column, facts, id, optional, table, time } from "../output/table.ts";

type Wallet = AnswerOf<"GET /wallets/{id}">;
type Statement = AnswerOf<"GET /wallets/{id}/statement">;

/** Value in place of credits: the default mark of a wallet. */
const TENTH = "tenth";

/** `svc wallets …`. */
export const walletCommands: readonly Command[] = [
  {
    words: "wallets create",
    operands: ["NAME"],
    options: ["tier", "credits"],
    summary: "Open a wallet",
    run: async ({ client, operands: [name = ""], option }) => {
      const body = { id: name, tier: option("tier"), credits: option("credits") };
      return walletOutput(await client.call("POST /wallets", { body }));
    },
  },
  {
    words: "wallets credit",
    operands: ["NAME", "CREDITS"],
    options: ["note", "op-id"],
    summary: "Add credits",
    run: credit,
  },
  {
    words: "wallets list",
    options: ["match", "tier", "limit", "cursor"],
    summary: "List the wallets",
    meanings: {
      match: "Only wallets with this text in their id",
      tier: "Only wallets of this tier",
    },
    run: async ({ client, option }) => {
      const query = {
        q: option("match"),
        tier: option("tier"),
        limit: option("limit"),
        cursor: option("cursor"),
      };
      const json = await client.call("GET /wallets", { query });
      const empty = json.total === 0 ? "There are no wallets" : "No wallet matches here";
      return {
        json,
        text: ({ width }) => table(COLUMNS, json.wallets, { width, empty }) + nextPage(json),
      };
    },
  },
  {
    words: "wallets show",
    operands: ["NAME"],
    summary: "Show a wallet's balance",
    run: async ({ client, operands: [id = ""] }) =>
      walletOutput(await client.call("GET /wallets/{id}", { id })),
  },
  {
    words: "wallets low-balance",
    operands: ["NAME", `CREDITS|${TENTH}`],
    summary: "Set the balance that counts as low; tenth: a tenth of all credits",
    run: async ({ client, operands: [id = "", below = ""] }) => {
      const body = { below: below === TENTH ? null : below };
      return walletOutput(await client.call("POST /wallets/{id}/low-balance", { id, body }));
    },
  },
  {
    words: "wallets statement",
    operands: ["NAME"],
    options: ["limit", "since", "until", "cursor"],
    summary: "List credits, corrections, holds and charges, newest first",
    run: statement,
  },
];

const COLUMNS: readonly Column<Wallet>[] = [
  id("WALLET", "id"),
  column("TIER", "tier"),
  amount("CREDITS", "credits"),
  amount("AVAILABLE", "available"),
  optional(amount("HELD", "held")),
  amount("SPENT", "spent"),
  optional(amount("WRITTEN OFF", "writtenOff")),
  {
    title: "LOW",
    cell: ({ low, closedAt }) => closedAt !== null ? "closed" : low ? "low" : "",
    kind: "id",
  },
];

async function credit(call: Call): Promise<Output> {
  const [id = "", credits = ""] = call.operands;
  const opId = call.option("op-id") ?? crypto.randomUUID();
  try {
    const body = { credits, note: call.option("note"), opId };
    return walletOutput(await call.client.call("POST /wallets/{id}/credit", { id, body }));
  } catch (error) {
    if (!(error instanceof UnclearFailure)) throw error;
    const repeat = `; to be sure, repeat with --op-id ${opId}: the same id pays once`;
    throw new CliFailure(error.message + repeat, { cause: error });
  }
}

async function statement(call: Call): Promise<Output> {
  const [id = ""] = call.operands;
  const query = { limit: call.option("limit"), ...timeRange(call), cursor: call.option("cursor") };
  const json = await call.client.call("GET /wallets/{id}/statement", { id, query });
  return { json, text: (page) => statementText(json, page) };
}

/** Note on a call that was cut by the gateway's death. */
const RECOVERED = "at its last checkpoint: gateway restarted";

function statementText(json: Statement, { width }: Page): string {
  const columns: readonly Column<Statement["entries"][number]>[] = [
    time("TIME", "at"),
    id("KIND", "kind"),
    amount("CHANGE", "change"),
    amount("CHARGED", "charged"),
    column("MODEL", "model"),
    optional(id("KEY", "key")),
    { title: "NOTE", cell: noteOf, kind: "text" },
  ];
  const empty = "Nothing in this time";
  return table(columns, json.entries, { width, empty }) + nextPage(json);
}

function noteOf(entry: Statement["entries"][number]): string {
  if (entry.kind === "settle") return entry.recovered === true ? RECOVERED : "";
  return "note" in entry ? entry.note : "reason" in entry ? entry.reason : "";
}

/** Returns the line with the cursor of the next page, if any. */
export function nextPage({ cursor }: { readonly cursor: string | null }): string {
  return cursor === null ? "" : `More: --cursor ${cursor}\n`;
}

function walletOutput(wallet: Wallet): Output {
  return {
    json: wallet,
    text: () =>
      facts([
        ["wallet", wallet.id],
        ["tier", wallet.tier],
        ["credits", wallet.credits],
        ["available", wallet.available + (wallet.low ? " (low)" : "")],
        ["held", wallet.held],
        ["spent", wallet.spent],
        ["written off", wallet.writtenOff],
        ["low at", lowAt(wallet)],
        ...wallet.closedAt === null ? [] : [["closed", wallet.closedAt] as const],
      ]),
  };
}

function lowAt({ lowBelow, lowBelowSet }: Wallet): string {
  return lowBelowSet ? lowBelow : `${lowBelow}, a tenth of all credits`;
}
