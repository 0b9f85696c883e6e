import { assertEquals } from "@std/assert";
import { problemsOf, problemText } from "./problems.ts";

const CONTENT = {
  upstreams: [{ id: "lab" }],
  models: [{ id: "mini" }, { id: "maxi.2" }],
  tiers: [{ id: "basic" }],
};

function refusal(message: string, param: string | null = null) {
  return { status: 400, code: "invalid_request", message, param };
}

Deno.test("each problem of a message is shown separately, with its entry", () => {
  const message = "Cannot use the configuration: models.1.quality: Write a number; or two; " +
    'models.0.price.inputPerMTok: Write dollars; tiers.0.models.2: There is no model "x: y"; ' +
    'Unknown name "modles", the nearest valid one is "models"';
  const problems = problemsOf(refusal(message, "models.1.quality"), CONTENT);
  assertEquals(problems.slice(0, 2), [
    { part: "models", id: "maxi.2", field: "quality", text: "Write a number; or two" },
    { part: "models", id: "mini", field: "price.inputPerMTok", text: "Write dollars" },
  ]);
  assertEquals(problems[2]?.field, "models.2");
  assertEquals(problems.length, 3, "what names no place stays with the one before it");
});

Deno.test("a refusal that is not a configuration problem is one sentence, at its field if it has one", () => {
  assertEquals(problemsOf(refusal("Cannot keep the key", "upstreams.0.apiKey"), CONTENT), [
    { part: "upstreams", id: "lab", field: "apiKey", text: "Cannot keep the key" },
  ]);
  const [full] = problemsOf(refusal("The store is full: make room; try again"), CONTENT);
  assertEquals(full && problemText(full), "The store is full: make room; try again");
  assertEquals(problemsOf(refusal("No"), "no catalog")[0]?.text, "No");
});
