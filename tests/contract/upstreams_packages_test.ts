/**
 * The provider packages under the permissions that the service is given.
 *
 * @module
 */

import { assert, assertEquals, assertNotMatch } from "@std/assert";
import { isTranslated, PROVIDERS } from "../../gateway/upstreams/providers/provider_kinds.ts";
import { flagsOfTask } from "../fixtures/task_flags.ts";

const root = new URL("../../", import.meta.url);
const adapter = new URL("gateway/upstreams/ai_sdk/", root);
const providers = new URL("gateway/upstreams/providers/", root);

Deno.test("no provider package is loaded before an upstream of its kind is called", async () => {
  for (const folder of [adapter, providers]) {
    for await (const { name } of Deno.readDir(folder)) {
      const text = await Deno.readTextFile(new URL(name, folder));
      assertNotMatch(text, /^import (?!type )[^;]*"@ai-sdk\//m, name);
    }
  }
});

Deno.test("every provider package loads with the service's permissions", async () => {
  const program = `
    import { PROVIDERS } from "${new URL("provider_kinds.ts", providers)}";
    for (const { kind, protocol } of PROVIDERS) {
      if (protocol.name !== "translated") continue;
      await protocol.open();
      console.log(kind);
    }`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...await flagsOfTask("serve"), "-"],
    cwd: root,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(program));
  await input.close();
  const { stdout, stderr, success } = await child.output();
  assert(success, new TextDecoder().decode(stderr));
  assertEquals(
    new TextDecoder().decode(stdout).trim().split("\n").sort(),
    PROVIDERS.filter(isTranslated).map(({ kind }) => kind).sort(),
  );
});
