/**
 * Checks both OpenAPI documents with openapi-spec-validator, and sends what schemathesis makes of them
 * to a service of this checkout: what a document allows has to be served, what it does not allow
 * refused, and every answer has to be as described. Needs Python 3 and its package index.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { fromFileUrl, join } from "@std/path";
import { ServiceProcess } from "../../fixtures/service_process.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY } from "../../fixtures/service.ts";
import { unexpected } from "./report.ts";

const REQUIREMENTS = fromFileUrl(import.meta.resolve("./requirements.txt"));
/** Kept between runs. */
const PACKAGES = fromFileUrl(import.meta.resolve("../../../dist/fuzz"));
const CHECKS = ["--checks=all", "--exclude-checks=ignored_auth,unsupported_method"];
/** Streams that last until the client leaves. */
const ENDLESS = ["--exclude-path-regex=/tail$"];

interface Listener {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

async function run(
  program: string,
  args: readonly string[],
): Promise<{ ok: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: PACKAGES,
  })
    .output();
  const decoder = new TextDecoder();
  return { ok: success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** The folder of the commands, with the pinned packages in it. */
async function installed(): Promise<string> {
  const bin = join(PACKAGES, "bin");
  await Deno.mkdir(PACKAGES, { recursive: true });
  console.log(`Installing ${REQUIREMENTS} into ${PACKAGES}`);
  for (
    const [program, ...args] of [
      ["python3", "-m", "venv", PACKAGES],
      [join(bin, "pip"), "install", "--quiet", "--requirement", REQUIREMENTS],
    ] as const
  ) {
    const { ok, text } = await run(program, args);
    if (!ok) throw new Error(`Cannot run ${program}: ${text}`);
  }
  return bin;
}

/** The complaints about one listener; none where its document and its answers agree. */
async function complaintsOf(bin: string, listener: Listener, options: readonly string[]) {
  const { name, url, token } = listener;
  const path = join(PACKAGES, `${name}.json`);
  await Deno.writeTextFile(path, await (await fetch(`${url}/openapi.json`)).text());
  const { ok, text } = await run(join(bin, "openapi-spec-validator"), [path]);
  if (!ok) return [text];
  const header = `--header=Authorization: Bearer ${token}`;
  const fuzzed = await run(join(bin, "schemathesis"), [
    ...["run", `${url}/openapi.json`, header, "--phases=examples,coverage,fuzzing"],
    ...[...CHECKS, ...ENDLESS, "--workers=1", "--request-timeout=30", "--no-shrink"],
    ...["--suppress-health-check=all", "--output-truncate=false", ...options],
  ]);
  console.log(`${name}: ${/^ +\d+ generated.*$/m.exec(fuzzed.text)?.[0].trim() ?? fuzzed.text}`);
  return unexpected(fuzzed.text);
}

const { values } = parseArgs({
  options: {
    examples: { type: "string", default: "25" },
    seed: { type: "string", default: "1" },
  },
});
const bin = await installed();
const folder = await Deno.makeTempDir();
const env = { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN, SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY };
const complaints: string[] = [];
try {
  await using service = await ServiceProcess.start(join(folder, "svc.kv"), env);
  const listeners: Listener[] = [
    { name: "public", url: service.publicUrl, token: BOOTSTRAP_KEY },
    { name: "admin", url: service.adminUrl, token: ADMIN_TOKEN },
  ];
  for (const listener of listeners) {
    const options = [`--max-examples=${values.examples}`, `--seed=${values.seed}`];
    complaints.push(...await complaintsOf(bin, listener, options));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
for (const complaint of complaints) console.error(complaint);
console.log(`${complaints.length} unexpected`);
Deno.exit(complaints.length === 0 ? 0 : 1);
