import { assertEquals } from "@std/assert";
import { configJsonSchema } from "./schema_json.ts";

Deno.test("configJsonSchema() names the parts of the file and what must be there", () => {
  const schema = configJsonSchema();
  assertEquals(schema["required"], ["upstreams", "models", "tiers"]);
  assertEquals(schema["additionalProperties"], false);
});
