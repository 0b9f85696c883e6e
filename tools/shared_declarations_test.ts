import { assertEquals } from "@std/assert";
import { calculator, datetime, fileRead, fileSearch, fileWrite, listDir, shell } from "./mod.ts";
import { sharedCases } from "./shared_cases_test.ts";

Deno.test("models read the same of the tools, whichever client library offers them", () => {
  const tools = [calculator, datetime, fileRead, listDir, fileSearch, fileWrite, shell];
  const declared = tools.map((make) => {
    const { name, description, parameters, timeoutMs } = make();
    return {
      ...{ name, description, parameters },
      ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    };
  });
  assertEquals<unknown>(declared, sharedCases("declarations"));
});
