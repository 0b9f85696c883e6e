/**
 * The provider packages under the permissions that the service is given.
 *
 * @module
 */

import { assert, assertEquals, assertNotMatch } from "@std/assert";
import { CANNOT_CARRY } from "../../gateway/upstreams/ai_sdk/mod.ts";
import { flagsOfTask } from "../fixtures/task_flags.ts";

const root = new URL("../../", import.meta.url);
const folder = new URL("gateway/upstreams/ai_sdk/", root);

Deno.test("no provider package is loaded before an upstream of its kind is called", async () => {
  for await (const { name } of Deno.readDir(folder)) {
    const text = await Deno.readTextFile(new URL(name, folder));
    assertNotMatch(text, /^import (?!type )[^;]*"@ai-sdk\//m, name);
  }
});

Deno.test("every provider package loads with the service's permissions", async () => {
  const program = `
    import { PROVIDERS } from "${new URL("providers.ts", folder)}";
    for (const [kind, load] of Object.entries(PROVIDERS)) {
      await load();
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
    Object.keys(CANNOT_CARRY).sort(),
  );
});
