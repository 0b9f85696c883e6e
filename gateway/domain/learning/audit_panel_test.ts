import { assertEquals } from "@std/assert";
import type { Candidate } from "../routing/plan.ts";
import { candidateWith } from "./audit_panel_fixture_test.ts";
import { auditPanel, PANEL_CHEAP_MAX } from "./audit_panel.ts";

function namesOf(candidates: readonly Candidate[], served: string) {
  const panel = auditPanel(candidates, served);
  return panel && [panel.best, ...panel.cheap].map(({ model }) => model.id);
}

const BEST = candidateWith("best", { p: 0.9, price: 10, quality: 0.9 });
const CHEAP = candidateWith("cheap", { p: 0.7, price: 2, quality: 0.7 });
const CHEAPER = candidateWith("cheaper", { p: 0.5, price: 1, quality: 0.5 });

Deno.test("auditPanel() has the best estimate first, then the served model, then the frontier", () => {
  assertEquals(namesOf([CHEAPER, BEST, CHEAP], "cheaper"), ["best", "cheaper", "cheap"]);
  assertEquals(namesOf([CHEAPER, BEST, CHEAP], "best"), ["best", "cheap", "cheaper"]);
});

Deno.test("auditPanel() leaves out dominated and dear models, but not the one that served", () => {
  const dear = candidateWith("dear", { p: 0.8, price: 9, quality: 0.8 });
  const worse = candidateWith("worse", { p: 0.4, price: 3, quality: 0.4 });
  const all = [BEST, dear, worse, CHEAP];
  assertEquals(namesOf(all, "cheap"), ["best", "cheap"]);
  assertEquals(namesOf(all, "dear"), ["best", "dear", "cheap"]);
  assertEquals(namesOf(all, "worse"), ["best", "worse", "cheap"]);
});

Deno.test("auditPanel() is bounded, and needs two models", () => {
  const many = Array.from(
    { length: 9 },
    (_, at) => candidateWith(`m${at}`, { p: 0.1 * at, price: 0.1 * (at + 1), quality: 0.1 * at }),
  );
  assertEquals(namesOf([BEST, ...many], "m0")?.length, 1 + PANEL_CHEAP_MAX);
  assertEquals(namesOf([BEST], "best"), undefined);
  assertEquals(namesOf([], "best"), undefined);
});
