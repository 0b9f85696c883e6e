/**
 * The blocks of README and the calls on the pages, pasted into a shell one after the other, in a copy
 * of the checkout with a gateway that README's own command has started.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { blocksOf } from "../architecture/markdown.ts";
import { platformEnv } from "../fixtures/child_env.ts";

const ROOT = fromFileUrl(import.meta.resolve("../../"));

/** The checkout as the commands need it. */
const COPIED = ["deno.json", "deno.lock", "links", "lint", "ops", "tools", "sdk", "gateway"];
const COPIED_TESTS = ["deno.json", "mod.ts"];

/** Blocks that are not pasted, by their first words, each with the reason. */
const NOT_PASTED: Readonly<Record<string, string>> = {
  "podman build": "it needs podman, and images from a registry",
  "OPENAI_API_KEY=": "it needs a provider's key",
  "deno task test ": "it runs this test",
};

/** The block that starts the gateway; the test runs it beside the others. */
const START = "deno task --quiet serve\n";

/** Programs that would download packages, replaced by ones that use the packages of the checkout. */
const PROGRAMS: Readonly<Record<string, string>> = {
  npm: "exit 0",
  node: 'exec deno run --quiet --no-check --config "$COPY/deno.json" --allow-all "$@"',
  python3: `
[ "$1 $2" = "-m venv" ] || exit 1
mkdir -p "$3/bin"
cp "$COPY/../bin/npm" "$3/bin/pip"
cp "$COPY/../bin/venv-python" "$3/bin/python"`,
  "venv-python": `
program=$(cat)
if "$PYTHON" -c "import openai" 2>/dev/null; then
  echo "$program" | "$PYTHON" -
else
  echo "SKIPPED: the Python package openai is not installed"
fi`,
};

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** Copies the checkout into a folder, without its tests. */
async function copyCheckout(to: string): Promise<void> {
  for (const name of COPIED) {
    if ((await Deno.stat(join(ROOT, name))).isFile) {
      await Deno.copyFile(join(ROOT, name), join(to, name));
    } else await copyFolder(join(ROOT, name), join(to, name));
  }
  await Deno.mkdir(join(to, "tests"));
  for (const name of COPIED_TESTS) {
    await Deno.copyFile(join(ROOT, "tests", name), join(to, "tests", name));
  }
}

/** Returns the path of Python on this machine, or a name that cannot be run. */
async function python(): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "command -v python3"] }).output();
  return new TextDecoder().decode(stdout).trim() || "no-python";
}

async function writePrograms(folder: string): Promise<void> {
  await Deno.mkdir(folder);
  await Deno.symlink(Deno.execPath(), join(folder, "deno"));
  for (const [name, text] of Object.entries(PROGRAMS)) {
    await Deno.writeTextFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
}

/** A gateway that README's own command has started. */
class Gateway implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #errors: Promise<string>;
  readonly #lines: ReadableStream<string>;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.#child = new Deno.Command("bash", {
      args: ["-c", `exec ${START}`],
      cwd,
      clearEnv: true,
      env: { ...env, SERVICE_PORT: "0", SERVICE_ADMIN_PORT: "0" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#errors = new Response(this.#child.stderr).text();
    this.#lines = this.#child.stdout.pipeThrough(new TextDecoderStream());
  }

  /** Returns the address of the public listener once the gateway is ready. */
  async publicUrl(): Promise<string> {
    let text = "";
    for await (const part of this.#lines.values({ preventCancel: true })) {
      text += part;
      const url = /^ {2}public {5}(\S+)/m.exec(text)?.[1];
      if (url !== undefined && text.includes("Try it:")) return url;
    }
    throw new Error(`The gateway did not start: ${text} ${await this.#errors}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await Promise.all([this.#child.status, this.#errors, this.#lines.cancel()]);
  }
}

/** Pastes the blocks into one shell. Returns the output of each. */
async function paste(
  blocks: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const mark = "== next block ==";
  const script = blocks.map((text) => `${text}\necho; echo "${mark}"`).join("\n");
  const { cwd, env } = options;
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", script],
    cwd,
    clearEnv: true,
    env: { ...env },
  }).output();
  const [text = "", errors = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const outputs = text.split(mark);
  const last = blocks[outputs.length - 1] ?? "";
  assertEquals(code, 0, `After ${text}\n${errors}\nthis block failed:\n${last}`);
  return outputs;
}

/** Returns the calls by `curl` on the pages, but for those with a placeholder. */
async function callsOnPages(): Promise<string[]> {
  const pages = await Array.fromAsync(Deno.readDir(join(ROOT, "docs")));
  const names = pages.map(({ name }) => name).filter((name) => name.endsWith(".md")).sort();
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(ROOT, "docs", name))));
  return texts.flatMap(blocksOf).filter(({ language }) => language === "sh").map(({ text }) => text)
    .filter((text) => text.startsWith("curl ") && !text.includes("…"));
}

Deno.test("the blocks of README and the calls on the pages work as pasted", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  const blocks = blocksOf(readme).filter(({ language }) => language === "sh")
    .map(({ text }) => text);
  assertEquals(blocks.filter((text) => text === START).length, 1);
  for (const start of Object.keys(NOT_PASTED)) {
    assert(blocks.some((text) => text.startsWith(start)), `No block starts with "${start}"`);
  }
  const pasted = blocks.filter((text) =>
    text !== START && !Object.keys(NOT_PASTED).some((start) => text.startsWith(start))
  );
  const folder = await Deno.makeTempDir();
  try {
    const copy = join(folder, "svc");
    await Deno.mkdir(copy);
    await Promise.all([copyCheckout(copy), writePrograms(join(folder, "bin"))]);
    const path = `${join(folder, "bin")}:${Deno.env.get("PATH") ?? ""}`;
    const env = { ...platformEnv(), PATH: path, COPY: copy, PYTHON: await python() };
    await using gateway = new Gateway(copy, env);
    const url = await gateway.publicUrl();
    const calls = await callsOnPages();
    assert(calls.length >= 4);
    const outputs = await paste(
      [...pasted, ...calls].map((text) => text.replaceAll("http://127.0.0.1:8787", url)),
      { cwd: copy, env: { ...env, SERVICE_API_BASE_URL: url } },
    );
    const outputOf = (start: string) => {
      const at = pasted.findIndex((text) => text.includes(start));
      assert(at >= 0, start);
      return outputs[at]?.trim() ?? "";
    };
    const answer = JSON.parse(outputOf("curl -s"));
    assertEquals(answer.metadata.routing.provider, "simulator");
    assertMatch(answer.metadata.billing.charged, /^\d+\.\d{6}$/);
    assertStringIncludes(outputOf("hello.mjs"), "[simulated]");
    const spoken = outputOf("from openai import OpenAI");
    if (spoken.includes("SKIPPED")) console.warn(`Not tested: README's Python block, ${spoken}`);
    else assertStringIncludes(spoken, "[simulated]");
    assertMatch(outputOf("ServiceClient"), /391.* \d+\.\d{6}$/s);
    assertMatch(outputOf("--policy web.policy.json"), /svc_live_\w+/);
    assertStringIncludes(outputOf("wallets statement"), "svc/sim-vision");
    for (const [at, call] of calls.entries()) {
      assertMatch(outputs[pasted.length + at] ?? "", /"charged":\s*"\d+\.\d{6}"/, call);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
