import { assertEquals } from "@std/assert";
import type { Policy } from "./answers.ts";
import { fieldOf, fieldsOf, policyOf } from "./policy_form.ts";

// Every field: the form would cut one that it does not know.
const FULL: Required<Policy> = {
  endpoints: ["chat", "responses"],
  models: ["fast-mini"],
  providers: ["lab"],
  featureTags: ["tools"],
  tiers: ["basic"],
  industryPacks: ["law"],
  hostedTools: [],
  maxChargePerRequest: "1.5",
  budget: { day: "10", month: "100", total: "1000" },
  budgets: [
    { user: "ann of day 5", day: "5", total: "9.5" },
    { tag: "team=search", month: "100" },
  ],
  requiredTags: ["team", "env"],
  requiredUser: true,
  requestsPerMinute: 60,
  tokensPerMinute: 100_000,
  concurrentRequests: 4,
  ipRanges: ["10.0.0.0/8", "2001:db8::/32"],
  expiresAt: "2027-01-31T00:00:00Z",
  orchestration: { mode: "off", stream: "final" },
  dialect: "openai",
  auto: { dial: 0.25, maxDial: 1, qualityFloor: 0.5, verify: "auto", audits: true },
  wallet: "hidden",
  files: { files: 1_000, bytes: 5_000_000, stores: 0 },
  embeddings: { model: "vectors", dimensions: 256 },
};

Deno.test("a policy comes back from its form as it went in", () => {
  assertEquals(policyOf(fieldsOf(FULL)), FULL);
  const open = { orchestration: { mode: "auto", stream: "all" } };
  assertEquals(policyOf(fieldsOf({})), open);
  const zoned = { ...FULL, expiresAt: "2027-01-31T08:30:59.999+08:00" };
  assertEquals(policyOf(fieldsOf(zoned)).expiresAt, "2027-01-31T00:30:00Z");
});

Deno.test("choices count only where the list limits", () => {
  const fields = fieldsOf(FULL);
  fields.set("limit_models", "all");
  assertEquals("models" in policyOf(fields), false);
  fields.delete("limit_endpoints");
  assertEquals("endpoints" in policyOf(fields), false);
});

Deno.test("an unreadable value is passed on for the API to refuse", () => {
  const fields = fieldsOf({});
  for (const name of ["requestsPerMinute", "expiresAt", "maxChargePerRequest"]) {
    fields.set(name, " soon ");
  }
  fields.set("ipRanges", " 10.0.0.0/8,\n\n x ");
  const { requestsPerMinute, expiresAt, maxChargePerRequest, ipRanges } = policyOf(fields);
  assertEquals([requestsPerMinute, expiresAt, maxChargePerRequest], ["soon", "soon", "soon"]);
  fields.set("auto_dial", "best");
  fields.set("auto_maxDial", "7");
  fields.set("auto_audits", "off");
  fields.set("files_bytes", "1 GB");
  fields.set("embeddings_dimensions", "many");
  assertEquals(policyOf(fields).auto, { dial: "best", maxDial: "7" });
  assertEquals(policyOf(fields).files, { bytes: "1 GB" });
  assertEquals(policyOf(fields).embeddings, { dimensions: "many" });
  assertEquals(ipRanges, ["10.0.0.0/8", "x"]);
  fields.set("budgets", "day 5\n\nmonth x user ann\r\n");
  assertEquals(policyOf(fields).budgets, ["day 5", { user: "ann", month: "x" }]);
});

Deno.test("a path of the API leads to its field", () => {
  const paths = [
    ...["policy.models.1", "policy.budget.day", "policy.orchestration.mode"],
    ...["policy.auto.maxDial", "policy.files.bytes", "policy.embeddings.model"],
    ...["policy.wallet", "wallet", ""],
  ];
  assertEquals(paths.map(fieldOf), [
    "models",
    "budget_day",
    "mode",
    "auto_maxDial",
    "files_bytes",
    "embeddings_model",
    "wallet_sight",
    "wallet",
    "",
  ]);
});
