import { UnclearFailure } from "../admin_client.ts";
import type { Call, Command, Output, Page } from "../command.ts";
import { CliFailure } from "../failures.ts";
import { timeRange } from "../output/local_time.ts";
import { type Row, rowsOf, textOf } from "../output/json_fields.ts";
import { amount, column, facts, id, optional, table, time } from "../output/table.ts";

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
      return walletOutput(await client.post("/wallets", body));
    },
  },
  {
    words: "wallets credit",
    operands: ["NAME", "CREDITS"],
    options: ["note", "op-id"],
    summary: "Pay credits in",
    run: credit,
  },
  {
    words: "wallets list",
    summary: "List the wallets",
    run: async ({ client }) => {
      const json = await client.get("/wallets");
      const empty = "There are no wallets";
      return {
        json,
        text: ({ width }) => table(COLUMNS, rowsOf(json, "wallets"), { width, empty }),
      };
    },
  },
  {
    words: "wallets show",
    operands: ["NAME"],
    summary: "Show a wallet's balance",
    run: async ({ client, operands: [name = ""] }) => walletOutput(await client.get(pathOf(name))),
  },
  {
    words: "wallets low-balance",
    operands: ["NAME", `CREDITS|${TENTH}`],
    summary: "Say from which balance down it is low; tenth: a tenth of what was paid in",
    run: async ({ client, operands: [name = "", below = ""] }) => {
      const body = { below: below === TENTH ? null : below };
      return walletOutput(await client.post(pathOf(name, "low-balance"), body));
    },
  },
  {
    words: "wallets statement",
    operands: ["NAME"],
    options: ["limit", "since", "until", "cursor"],
    summary: "List what was paid in, held and charged, newest first",
    run: statement,
  },
];

const COLUMNS = [
  id("WALLET", "id"),
  column("TIER", "tier"),
  amount("CREDITS", "credits"),
  amount("AVAILABLE", "available"),
  optional(amount("HELD", "held")),
  amount("SPENT", "spent"),
  optional(amount("WRITTEN OFF", "writtenOff")),
  { title: "LOW", cell: (row: Row) => row.low === true ? "low" : "", kind: "id" as const },
];

function pathOf(name: string, noun?: string): string {
  const path = `/wallets/${encodeURIComponent(name)}`;
  return noun === undefined ? path : `${path}/${noun}`;
}

async function credit(call: Call): Promise<Output> {
  const [name = "", credits = ""] = call.operands;
  const opId = call.option("op-id") ?? crypto.randomUUID();
  try {
    const body = { credits, note: call.option("note"), opId };
    return walletOutput(await call.client.post(pathOf(name, "credit"), body));
  } catch (error) {
    if (!(error instanceof UnclearFailure)) throw error;
    const repeat = `; to be sure, repeat with --op-id ${opId}: the same id pays once`;
    throw new CliFailure(error.message + repeat, { cause: error });
  }
}

async function statement(call: Call): Promise<Output> {
  const [name = ""] = call.operands;
  const json = await call.client.get(pathOf(name, "statement"), {
    limit: call.option("limit"),
    ...timeRange(call),
    cursor: call.option("cursor"),
  });
  return { json, text: (page) => statementText(json, page) };
}

/** Note on a call that was cut by the gateway's death. */
const RECOVERED = "at its last checkpoint: gateway restarted";

function statementText(json: Row, { width }: Page): string {
  const columns = [
    time("TIME", "at"),
    id("KIND", "kind"),
    amount("CHANGE", "change"),
    amount("CHARGED", "charged"),
    column("MODEL", "model"),
    optional(id("KEY", "key")),
    {
      title: "NOTE",
      cell: (row: Row) =>
        row.recovered === true ? RECOVERED : textOf(row, "note") || textOf(row, "reason"),
      kind: "text" as const,
    },
  ];
  const empty = "Nothing in this time";
  return table(columns, rowsOf(json, "entries"), { width, empty }) + nextPage(json);
}

/** Returns the line with the cursor of the next page, if any. */
export function nextPage(json: Row): string {
  const cursor = textOf(json, "cursor");
  return cursor === "" ? "" : `More: --cursor ${cursor}\n`;
}

function walletOutput(wallet: Row): Output {
  return {
    json: wallet,
    text: () =>
      facts([
        ["wallet", textOf(wallet, "id")],
        ["tier", textOf(wallet, "tier")],
        ["credits", textOf(wallet, "credits")],
        ["available", textOf(wallet, "available") + (wallet.low === true ? " (low)" : "")],
        ["held", textOf(wallet, "held")],
        ["spent", textOf(wallet, "spent")],
        ["written off", textOf(wallet, "writtenOff")],
        ["low at", lowAt(wallet)],
      ]),
  };
}

function lowAt(wallet: Row): string {
  const mark = textOf(wallet, "lowBelow");
  return wallet.lowBelowSet === false ? `${mark}, a tenth of what was paid in` : mark;
}
