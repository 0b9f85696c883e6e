import { assertEquals, assertMatch } from "@std/assert";
import { catalogOf, modelWith, tierWith, walletWith } from "../routing/route_fixture_test.ts";
import { auditObstacle } from "./audit_funds.ts";

const SETTINGS = { share: 0.01, dailyBudget: "5", wallet: "ops" };
const CATALOG = catalogOf([modelWith({ id: "m" })], [
  tierWith({ id: "low", models: [] }),
  tierWith({ id: "high" }),
]);
const WALLET = walletWith({ tier: "high" });
const FUNDS = { catalog: CATALOG, wallet: WALLET, keys: [] };

Deno.test("auditObstacle() finds none where a separate wallet can pay", () => {
  assertEquals(auditObstacle(SETTINGS, FUNDS), undefined);
  assertEquals(auditObstacle({ ...SETTINGS, judge: "m" }, FUNDS), undefined);
  const keys = [
    { walletId: "other", status: "active" },
    { walletId: "ops", status: "revoked" },
  ] as const;
  assertEquals(auditObstacle(SETTINGS, { ...FUNDS, keys }), undefined);
});

Deno.test("auditObstacle() says what is missing", () => {
  const cases: readonly (readonly [string | undefined, RegExp])[] = [
    [auditObstacle(SETTINGS, { ...FUNDS, wallet: undefined }), /"ops" of audits does not exist/],
    [auditObstacle(SETTINGS, { ...FUNDS, wallet: { ...WALLET, available: 0n } }), /no credits/],
    [auditObstacle(SETTINGS, { ...FUNDS, wallet: { ...WALLET, tier: "gone" } }), /tier "gone"/],
    [auditObstacle({ ...SETTINGS, dailyBudget: "0" }, FUNDS), /budget of audits is zero/],
    [auditObstacle({ ...SETTINGS, judge: "x" }, FUNDS), /"x" of audits is not a model/],
    [
      auditObstacle({ ...SETTINGS, judge: "m" }, { ...FUNDS, wallet: { ...WALLET, tier: "low" } }),
      /lacks the judge "m"/,
    ],
  ];
  for (const [obstacle, pattern] of cases) assertMatch(obstacle ?? "", pattern);
  for (const status of ["active", "disabled"] as const) {
    const keys = [{ walletId: "ops", status }];
    assertMatch(auditObstacle(SETTINGS, { ...FUNDS, keys }) ?? "", /has API keys/);
  }
});
