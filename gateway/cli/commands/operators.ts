import { GRANTS, ROLES } from "../../domain/operators/roles.ts";
import { TOKEN_DAYS, TOKEN_DAYS_MAX } from "../../domain/operators/operator.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Call, Command, Output } from "../command.ts";
import { UsageError } from "../failures.ts";
import { type Column, column, facts, id, table, time } from "../output/table.ts";

type Operator = AnswerOf<"GET /operators/{id}">;
type SessionRow = AnswerOf<"GET /sessions">["sessions"][number];

const ROLE_MEANINGS = {
  role: `One of ${ROLES.join(", ")}`,
  grants: `Rights besides the role, with commas between them: ${GRANTS.join(", ")}`,
};

/** `svc operators …`. */
export const operatorCommands: readonly Command[] = [
  {
    words: "operators list",
    summary: "List the operators",
    run: async ({ client }) => {
      const json = await client.call("GET /operators");
      const empty = "There are no operators with names; the admin token has every right";
      return { json, text: ({ width }) => table(OPERATORS, json.operators, { width, empty }) };
    },
  },
  {
    words: "operators me",
    summary: "Show whose token this is, and its rights",
    run: async ({ client }) => {
      const json = await client.call("GET /operators/me");
      const { kind, id, name, role, rights } = json;
      const rows = [["name", name], ["id", id], ["kind", kind], ["role", role ?? "all rights"]];
      const text = facts([...rows.map(([key = "", value = ""]) => [key, value] as const), [
        "rights",
        rights.join(", "),
      ]]);
      return { json, text: () => text };
    },
  },
  {
    words: "operators show",
    operands: ["ID"],
    summary: "Show an operator and the tokens",
    run: async ({ client, operands: [id = ""] }) =>
      operatorOutput(await client.call("GET /operators/{id}", { id })),
  },
  {
    words: "operators create",
    operands: ["NAME"],
    required: ["role"],
    options: ["grants", "person"],
    meanings: ROLE_MEANINGS,
    summary: "Create an operator",
    run: async (call) => {
      const { client, operands: [name = ""] } = call;
      const person = call.option("person");
      const body = { name, ...roleOf(call), ...person === undefined ? {} : { person } };
      return operatorOutput(await client.call("POST /operators", { body }));
    },
  },
  {
    words: "operators role",
    operands: ["ID"],
    required: ["role"],
    options: ["grants"],
    meanings: ROLE_MEANINGS,
    summary: "Give an operator another role and other grants",
    run: async (call) => {
      const { client, operands: [id = ""] } = call;
      const body = roleOf(call);
      return operatorOutput(await client.call("POST /operators/{id}/role", { id, body }));
    },
  },
  ...(["disable", "enable"] as const).map((word): Command => ({
    words: `operators ${word}`,
    operands: ["ID"],
    summary: word === "disable"
      ? "Disable an operator: tokens and sessions end at once"
      : "Enable a disabled operator",
    run: async ({ client, operands: [id = ""] }) =>
      operatorOutput(await client.call(`POST /operators/{id}/${word}`, { id })),
  })),
  {
    words: "operators token",
    operands: ["ID"],
    options: ["name", "days"],
    meanings: { name: "Name of the token (token)" },
    summary: "Create a token for an operator, and show it once",
    run: createToken,
  },
  {
    words: "operators revoke-token",
    operands: ["ID", "TOKEN"],
    summary: "Revoke a token of an operator",
    run: async ({ client, operands: [id = "", tokenId = ""] }) => {
      const call = { id, tokenId };
      return operatorOutput(await client.call("DELETE /operators/{id}/tokens/{tokenId}", call));
    },
  },
  {
    words: "operators end-sessions",
    operands: ["ID"],
    summary: "End all sessions of an operator",
    run: async ({ client, operands: [id = ""] }) =>
      operatorOutput(await client.call("DELETE /operators/{id}/sessions", { id })),
  },
  {
    words: "operators sessions",
    summary: "List the sessions of the console",
    run: async ({ client }) => {
      const json = await client.call("GET /sessions");
      const empty = "Nobody has signed in";
      return { json, text: ({ width }) => table(SESSIONS, json.sessions, { width, empty }) };
    },
  },
  {
    words: "operators end-session",
    operands: ["ID"],
    summary: "End a session of the console",
    run: async ({ client, operands: [id = ""] }) => {
      const json = await client.call("DELETE /sessions/{id}", { id });
      return { json, text: () => "The session has ended\n" };
    },
  },
];

const OPERATORS: readonly Column<Operator>[] = [
  id("ID", "id"),
  column("NAME", "name"),
  column("ROLE", "role"),
  { title: "GRANTS", cell: ({ grants }) => grants.join(", "), kind: "text" },
  column("STATE", "state"),
  {
    title: "TOKENS",
    cell: ({ tokens }) => String(tokens.filter(({ isInForce }) => isInForce).length),
    kind: "id",
  },
];

const SESSIONS: readonly Column<SessionRow>[] = [
  id("ID", "id"),
  { title: "NAME", cell: ({ who }) => who.name, kind: "text" },
  { title: "ROLE", cell: ({ who }) => who.role ?? "all rights", kind: "text" },
  { title: "ADDRESS", cell: ({ address }) => address ?? "", kind: "id" },
  time("BEGAN", "beganAt"),
  time("USED", "usedAt"),
];

async function createToken({ client, operands: [id = ""], option }: Call): Promise<Output> {
  const days = option("days") ?? String(TOKEN_DAYS);
  if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > TOKEN_DAYS_MAX) {
    throw new UsageError(`Give --days from 1 to ${TOKEN_DAYS_MAX}`);
  }
  const body = { name: option("name") ?? "token", days: Number(days) };
  const json = await client.call("POST /operators/{id}/tokens", { id, body });
  const rows = [["token", json.token], ["id", json.id], ["expires", json.expiresAt]] as const;
  return {
    json,
    text: () => `${facts(rows)}\nThis is the only time the token is shown: store it now.\n`,
  };
}

function roleOf({ option }: Call) {
  const given = option("role") ?? "";
  const role = ROLES.find((one) => one === given);
  if (role === undefined) throw new UsageError(`Give --role as one of ${ROLES.join(", ")}`);
  const names = option("grants")?.split(",") ?? [];
  const grants = names.map((name) => {
    const grant = GRANTS.find((one) => one === name);
    if (grant === undefined) throw new UsageError(`Give --grants of ${GRANTS.join(", ")}`);
    return grant;
  });
  return { role, grants };
}

function operatorOutput(json: Operator): Output {
  const { id, name, role, grants, state, person, tokens } = json;
  return {
    json,
    text: () =>
      facts([
        ...[["operator", id], ["name", name], ["role", role]] as const,
        ["grants", grants.join(", ") || "none"],
        ["state", state],
        ...person === null ? [] : [["person", person] as const],
        ...tokens.map((token) =>
          [
            `token ${token.id}`,
            `${token.name}, ${token.isInForce ? "until" : "expired"} ${token.expiresAt}`,
          ] as const
        ),
      ]),
  };
}
