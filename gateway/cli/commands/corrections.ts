import type { AnswerOf } from "../../admin_api/operations.ts";
import { UnclearFailure } from "../admin_client.ts";
import type { Call, Command, Output } from "../command.ts";
import { CliFailure } from "../failures.ts";
import { amount, type Column, facts, id, optional, table, time } from "../output/table.ts";

type Corrected = AnswerOf<"POST /wallets/{id}/debit">;
type Correction = AnswerOf<"GET /corrections/{id}">;

const SAFE = { "op-id": "Repeat it safely: the same id corrects once" };
const BALANCE = "The balance now, as `svc wallets show` has it: another one refuses";

/** Corrections among `svc wallets …`. */
export const walletCorrectionCommands: readonly Command[] = [
  {
    words: "wallets debit",
    operands: ["NAME", "CREDITS"],
    required: ["note"],
    options: ["op-id"],
    meanings: SAFE,
    summary: "Take credits out",
    run: ({ operands: [wallet = "", credits = ""], ...call }) =>
      once(call, (body) => {
        return call.client.call("POST /wallets/{id}/debit", {
          ...{ id: wallet, body: { credits, ...body } },
        });
      }),
  },
  {
    words: "wallets adjust",
    operands: ["NAME", "CREDITS"],
    required: ["expected", "note"],
    options: ["op-id"],
    meanings: { ...SAFE, expected: BALANCE },
    summary: "Bring the balance, available and held, to a counted value",
    run: ({ operands: [wallet = "", balance = ""], ...call }) =>
      once(call, (body) => {
        const expected = call.option("expected") ?? "";
        return call.client.call("POST /wallets/{id}/adjust", {
          ...{ id: wallet, body: { balance, expected, ...body } },
        });
      }),
  },
  {
    words: "wallets tier",
    operands: ["NAME", "TIER"],
    required: ["note"],
    options: ["op-id"],
    meanings: SAFE,
    summary: "Give a wallet another tier, for new calls",
    run: ({ operands: [wallet = "", tier = ""], ...call }) =>
      once(call, (body) => {
        return call.client.call("POST /wallets/{id}/tier", {
          ...{ id: wallet, body: { tier, ...body } },
        });
      }),
  },
  {
    words: "wallets close",
    operands: ["NAME"],
    required: ["expected", "note"],
    options: ["op-id"],
    meanings: { ...SAFE, expected: "The credits that are given up: another balance refuses" },
    summary: "Close a wallet for good; calls with its keys are refused",
    run: ({ operands: [wallet = ""], ...call }) =>
      once(call, (body) => {
        const expected = call.option("expected") ?? "";
        return call.client.call("POST /wallets/{id}/close", {
          ...{ id: wallet, body: { expected, ...body } },
        });
      }),
  },
];

/** `svc keys move`. */
export const keyMoveCommands: readonly Command[] = [
  {
    words: "keys move",
    operands: ["ID", "WALLET"],
    required: ["note"],
    options: ["op-id"],
    meanings: SAFE,
    summary: "Move a key to another wallet, with its budget",
    run: ({ operands: [key = "", wallet = ""], ...call }) =>
      once(call, (body) => {
        return call.client.call("POST /keys/{id}/move", {
          ...{ id: key, body: { wallet, ...body } },
        });
      }),
  },
];

/** `svc requests refund`. */
export const refundCommands: readonly Command[] = [
  {
    words: "requests refund",
    operands: ["ID"],
    required: ["note"],
    options: ["credits"],
    meanings: { credits: "A part of the charge (all of it)" },
    summary: "Refund a request, once, by the log_... id of its row",
    run: async ({ client, operands: [request = ""], option }) => {
      const body = { note: option("note") ?? "", credits: option("credits") };
      return corrected(await client.call("POST /requests/{id}/refund", { id: request, body }));
    },
  },
];

/** `svc corrections …`. */
export const correctionCommands: readonly Command[] = [
  {
    words: "corrections list",
    summary: "List the corrections that wait for an approval, and the last ones that did",
    run: async ({ client }) => {
      const json = await client.call("GET /corrections");
      const empty = `No correction has waited; above ${json.approvalAbove} credits they do`;
      return { json, text: ({ width }) => table(COLUMNS, json.corrections, { width, empty }) };
    },
  },
  {
    words: "corrections show",
    operands: ["ID"],
    summary: "Show a correction that waits for an approval, or did",
    run: async ({ client, operands: [correction = ""] }) => {
      const json = await client.call("GET /corrections/{id}", { id: correction });
      return { json, text: () => facts(factsOf(json)) };
    },
  },
  {
    words: "corrections approve",
    operands: ["ID"],
    summary: "Approve a correction of another person: it is applied",
    run: async ({ client, operands: [correction = ""] }) =>
      corrected(await client.call("POST /corrections/{id}/approve", { id: correction })),
  },
  {
    words: "corrections refuse",
    operands: ["ID"],
    required: ["note"],
    summary: "Refuse a correction, or withdraw your own",
    run: async ({ client, operands: [correction = ""], option }) => {
      const body = { note: option("note") ?? "" };
      const call = { id: correction, body };
      return corrected(await client.call("POST /corrections/{id}/refuse", call));
    },
  },
];

const COLUMNS: readonly Column<Correction>[] = [
  id("CORRECTION", "id"),
  id("STATE", "state"),
  id("KIND", "kind"),
  id("WALLET", "wallet"),
  amount("STAKE", "stake"),
  { title: "BY", cell: ({ by }) => by.name, kind: "text" },
  optional(time("EXPIRES", "expiresAt")),
  { title: "NOTE", cell: ({ note }) => note, kind: "text" },
];

/** Sends a correction under an id of its own, so that it can be repeated safely. */
async function once(
  call: Pick<Call, "option">,
  send: (body: { readonly note: string; readonly opId: string }) => Promise<Corrected>,
): Promise<Output> {
  const opId = call.option("op-id") ?? crypto.randomUUID();
  try {
    return corrected(await send({ note: call.option("note") ?? "", opId }));
  } catch (error) {
    if (!(error instanceof UnclearFailure)) throw error;
    const repeat = `; to be sure, repeat with --op-id ${opId}: the same id corrects once`;
    throw new CliFailure(error.message + repeat, { cause: error });
  }
}

function corrected(json: Corrected): Output {
  const { correction, wallet } = json;
  const isWaiting = correction.state === "waiting";
  const balance = [
    ["tier", wallet.tier],
    ["credits", wallet.credits],
    ["available", wallet.available],
    ["held", wallet.held],
    ["spent", wallet.spent],
    ...wallet.closedAt === null ? [] : [["closed", wallet.closedAt] as const],
  ] as const;
  const hint = "Nothing has changed yet: another operator approves it with\n" +
    `  svc corrections approve ${correction.id}\n`;
  return {
    json,
    text: () => facts([...factsOf(correction), ...balance]) + (isWaiting ? hint : ""),
  };
}

function factsOf(correction: Correction): readonly (readonly [string, string])[] {
  const { endedBy, remark, expiresAt, state } = correction;
  const subjects = [
    ["key", correction.key],
    ["request", correction.request],
    ["new tier", correction.tier],
    ["expected", correction.expected],
    ["amount", correction.credits],
  ] as const;
  return [
    ["correction", correction.id],
    ["kind", correction.kind],
    ["state", state],
    ["wallet", correction.wallet],
    ...subjects.flatMap(([name, value]) => value === null ? [] : [[name, value] as const]),
    ["note", correction.note],
    ["by", correction.by.name],
    ...state === "waiting" && expiresAt !== null ? [["expires", expiresAt] as const] : [],
    ...endedBy === null ? [] : [[state, `by ${endedBy.name}`] as const],
    ...remark === null ? [] : [["reason", remark] as const],
  ];
}
