import { assertEquals } from "@std/assert";
import { modelListError, modelListRefusal } from "./model_list_error.ts";

Deno.test("modelListRefusal() tells servers without a list from refused keys", () => {
  const reasons = [404, 405, 501, 401, 403, 500, 429].map((status) =>
    modelListRefusal(status).reason
  );
  assertEquals(reasons, [
    "unlisted",
    "unlisted",
    "unlisted",
    "refused",
    "refused",
    "failed",
    "failed",
  ]);
});

Deno.test("modelListError() keeps the reason of its cause", () => {
  assertEquals(modelListError("lab", "no list", modelListRefusal(404)).reason, "unlisted");
  const error = modelListError("lab", "cut", new TypeError("cut"));
  assertEquals([error.reason, error.message], [
    "failed",
    'Cannot list the models of upstream "lab": cut',
  ]);
});
