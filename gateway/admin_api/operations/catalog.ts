import { z } from "zod";
import { configSchema } from "../../config/schema.ts";
import * as answers from "../answers/catalog.ts";
import { upstreamListAnswer } from "../answers/overview.ts";
import { strict } from "../fields.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";

const version = z.int().positive();
const note = z.string().max(500, "Write at most 500 characters");
const dryRun = z.boolean().default(false).describe("Only say what would change");
const force = z.boolean().default(false).describe("Apply even where wallets lose their tier");
const expectedVersion = version.optional().describe("Refused where another is in force");

/** A change of the catalog; `content` is checked as the configuration file is. */
const change = strict({
  content: z.record(z.string(), z.unknown()),
  dryRun,
  force,
  expectedVersion,
  note: note.default(""),
});

/** The catalog and its models. */
export const CATALOG_OPERATIONS = {
  "GET /catalog": {
    id: "getCatalog",
    right: "read",
    summary: "Show the catalog in force",
    answer: answers.catalogAnswer,
  },
  "GET /catalog/versions": {
    id: "listCatalogVersions",
    right: "read",
    summary: "List the versions, newest first",
    query: ({ page }: QueryFields) => ({ ...page }),
    answer: answers.catalogVersionsAnswer,
  },
  "GET /catalog/versions/{version}": {
    id: "getCatalogVersion",
    right: "read",
    summary: "Show a version",
    answer: answers.catalogAnswer,
  },
  "GET /catalog/versions/{version}/changes": {
    id: "compareCatalogVersions",
    right: "read",
    summary: "Show what a version changed",
    query: () => ({
      since: z.string().regex(/^[1-9]\d{0,8}$/, "Give the number of a version").optional()
        .describe("Version to compare with; the one before it where left out"),
    }),
    answer: answers.catalogDifferenceAnswer,
  },
  "POST /catalog/apply": {
    id: "applyCatalog",
    right: "catalog",
    trail: "commit",
    summary: "Make a version and bring it into force",
    description: "One atomic change; requests in flight keep the version with which they began.",
    body: change,
    describedBody: change.extend({ content: configSchema }),
    answer: answers.catalogChangeAnswer,
    codes: ["conflict"],
  },
  "POST /catalog/rollback": {
    id: "rollBackCatalog",
    right: "catalog",
    trail: "commit",
    summary: "Bring an earlier version into force again",
    body: strict({ version, note: note.optional(), force, dryRun, expectedVersion }),
    example: { version: 3, note: "The new prices were wrong" },
    answer: answers.catalogChangeAnswer,
    codes: ["not_found", "conflict"],
  },
  "GET /catalog/check": {
    id: "checkCatalog",
    right: "read",
    summary: "Compare the catalog with the price list and the upstreams",
    query: () => ({
      timeout: wholeNumber(
        { minimum: 1, maximum: 60, default: 10 },
        "Seconds that an upstream may take",
      ),
      tolerance: wholeNumber(
        { minimum: 0, maximum: 1_000, default: 5 },
        "Difference from the list price that is accepted, in percent",
      ),
    }),
    answer: answers.catalogCheckAnswer,
  },
  "GET /models": {
    id: "listPool",
    right: "read",
    summary: "List the models as routing sees them",
    answer: answers.poolAnswer,
  },
  "GET /upstreams": {
    id: "listUpstreams",
    right: "read",
    summary: "List the upstreams with their state",
    answer: upstreamListAnswer,
  },
  "GET /upstreams/{id}/models": {
    id: "listOfferedModels",
    right: "catalog",
    summary: "Ask an upstream for its models",
    answer: answers.offeredModelsAnswer,
    codes: ["upstream_error", "upstream_timeout"],
  },
} as const satisfies AdminOperations;

/** A whole number in a query, of at most four digits. */
function wholeNumber(
  range: { readonly minimum: number; readonly maximum: number; readonly default: number },
  description: string,
) {
  const { minimum, maximum } = range;
  return z.string().refine(
    (text) => /^\d{1,4}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
    `Give a whole number from ${minimum} to ${maximum}`,
  ).default(String(range.default)).transform(Number)
    .meta({ description, override: { type: "integer", ...range } });
}
