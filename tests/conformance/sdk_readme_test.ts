/**
 * The client library's README: its agent runs as it is written there, and every example compiles.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const README = await Deno.readTextFile(new URL("../../sdk/README.md", import.meta.url));
const EXAMPLES = [...README.matchAll(/^```ts[^\n]*\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
const CLIENT = 'import { ServiceClient } from "@svc/sdk";\nconst client = new ServiceClient();\n';

/** Runs Deno in a separate folder with these files. Returns its output. */
async function deno(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const command = new Deno.Command(Deno.execPath(), { args: [...args], cwd: folder, env });
    const { success, stdout, stderr } = await command.output();
    const [written, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert(success, errors);
    return String(written);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the README's agent computes, reads a file, and is refused the shell", async () => {
  const [agent = ""] = EXAMPLES;
  assert(agent.trimEnd().split("\n").length <= 10, "It is longer than ten lines");
  await using service = await TestService.start();
  const permissions = ["--allow-net", "--allow-env", "--allow-read=."];
  const written = await deno(
    ["run", "--quiet", "--no-check", "--config", `${ROOT}deno.json`, ...permissions, "agent.ts"],
    { "agent.ts": agent, "README.md": "Remember the milk" },
    { SERVICE_API_KEY: BOOTSTRAP_KEY, SERVICE_API_BASE_URL: service.running.publicUrl },
  );
  const [calculated = "", read = "", refused = "", ...lines] = written.trimEnd().split("\n");
  assertEquals(calculated, 'calculator {"result":"391","exact":true}');
  assertMatch(read, /^file_read .*Remember the milk/);
  assertMatch(refused, /^shell \{"error":\{"code":"permission_denied"/);
  assertMatch(lines.join(" "), /391.* \d+\.\d{6}$/);
  await service.assertBooks();
});

Deno.test("every example of the README compiles", async () => {
  assert(EXAMPLES.length > 5);
  const files = EXAMPLES.map((code, at): [string, string] => {
    const hasClient = /\bclient = /.test(code) || !/\bclient\./.test(code);
    return [`example_${at}.ts`, `${hasClient ? "" : CLIENT}${code}`];
  });
  const names = files.map(([name]) => name);
  await deno(["check", "--config", `${ROOT}deno.json`, ...names], Object.fromEntries(files));
});
