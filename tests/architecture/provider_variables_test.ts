import { assertEquals } from "@std/assert";
import { PROVIDERS } from "../../gateway/upstreams/providers/provider_kinds.ts";
import { read } from "./source_files.ts";

/** Variables that the descriptors of the provider kinds name. */
const NAMED = PROVIDERS.flatMap(({ presets = [], variables = [] }) => [
  ...presets.map((preset) => "apiKeyEnv" in preset ? preset.apiKeyEnv : preset.hostEnv),
  ...variables,
]);

Deno.test("the permission sets grant the variables of the provider kinds, and no others", async () => {
  const { permissions } = JSON.parse(await read("deno.json"));
  for (const name of ["serve", "svc"]) {
    const granted: string[] = permissions[name].env;
    assertEquals(NAMED.filter((variable) => !granted.includes(variable)), [], name);
    const others = granted.filter((variable) =>
      !variable.startsWith("SERVICE_") && !NAMED.includes(variable)
    );
    // Keys of hosted search, the setting of terminals, and what the clients of PostgreSQL and of plain
    // HTTP read.
    const known = [
      ...["BRAVE_API_KEY", "TAVILY_API_KEY", "NO_COLOR"],
      ...["PGPASSWORD", "PGBINARY", "PGREPLICATION"],
      ...["UNDICI_NO_WASM_SIMD", "UNDICI_USE_MILO", "JEST_WORKER_ID"],
    ];
    assertEquals(others.filter((variable) => !known.includes(variable)), [], name);
  }
});
