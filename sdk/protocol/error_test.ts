import { assertEquals } from "@std/assert";
import { ERROR_TABLE, type ErrorRow } from "./error.ts";

/** The table of the design, section 4, as written there. */
const DESIGN: readonly (readonly [codes: string, statuses: string])[] = [
  ["invalid_request", "400"],
  ["model_not_allowed", "400"],
  ["unsupported_tool, conflicting_tools", "400"],
  ["missing_api_key, invalid_api_key", "401"],
  ["insufficient_balance, key_budget_exceeded", "402"],
  ["policy_denied", "403"],
  ["not_found, method_not_allowed", "404, 405"],
  ["body_too_large, unsupported_media_type", "413, 415"],
  ["rate_limit_exceeded", "429"],
  ["context_length_exceeded", "400"],
  ["upstream_error, upstream_timeout", "502, 504"],
  ["no_model_available, store_unavailable, shutting_down", "503"],
  ["internal", "500"],
];

/** Codes that stand outside that table: of the admin API, of an extension, and within a 200. */
const BESIDE: readonly (readonly [code: string, status: number])[] = [
  ["conflict", 409],
  ["embedding_model_gone", 410],
  ["wallet_closed", 403],
  ["orchestration_failed", 200],
];

/** Codes that carry `Retry-After`, or that say that every candidate failed this time. */
const RETRYABLE = [
  "no_model_available",
  "orchestration_failed",
  "rate_limit_exceeded",
  "shutting_down",
  "store_unavailable",
  "upstream_error",
  "upstream_timeout",
];

/** OpenAI's clients choose their error class by status, and people read the type. */
const TYPE_OF_STATUS: Readonly<Record<number, ErrorRow["type"]>> = {
  200: "api_error",
  400: "invalid_request_error",
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  404: "invalid_request_error",
  405: "invalid_request_error",
  409: "invalid_request_error",
  410: "invalid_request_error",
  413: "invalid_request_error",
  415: "invalid_request_error",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "api_error",
};

const rows: [string, ErrorRow][] = Object.entries(ERROR_TABLE);

Deno.test("ERROR_TABLE has the codes and statuses of the design, and no others", () => {
  const expected: [string, number][] = BESIDE.map(([code, status]) => [code, status]);
  for (const [codes, statuses] of DESIGN) {
    const each = statuses.split(", ").map(Number);
    for (const [index, code] of codes.split(", ").entries()) {
      expected.push([code, each[index] ?? each[0] ?? NaN]);
    }
  }
  assertEquals(
    Object.fromEntries(rows.map(([code, row]) => [code, row.status])),
    Object.fromEntries(expected),
  );
});

Deno.test("ERROR_TABLE calls retryable what may succeed later, and nothing else", () => {
  const retryable = rows.filter(([, row]) => row.retryable).map(([code]) => code);
  assertEquals(retryable.toSorted(), RETRYABLE);
});

Deno.test("ERROR_TABLE gives each status one type", () => {
  assertEquals(
    rows.map(([code, row]) => [code, row.type]),
    rows.map(([code, row]) => [code, TYPE_OF_STATUS[row.status]]),
  );
});

Deno.test("ERROR_TABLE has messages in one grammar, without duplicates", () => {
  const messages = rows.map(([, row]) => row.message);
  assertEquals(messages.filter((message) => !/^[A-Z].*[^.\s]$/.test(message)), []);
  assertEquals(new Set(messages).size, messages.length);
});
