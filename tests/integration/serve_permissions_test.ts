/**
 * Checks that `deno task serve` may do what `deno.json` grants it, and nothing else.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ADMIN_TOKEN, BOOTSTRAP_KEY } from "../fixtures/service.ts";
import { ServiceProcess, svc } from "../fixtures/service_process.ts";
import { CONFIGURATION, flagsOfTask } from "../fixtures/task_flags.ts";

const ROOT = fromFileUrl(import.meta.resolve("../../"));
const MAIN = join(ROOT, "gateway/main.ts");
const TRYING = join(ROOT, "tests/fixtures/permissions_process.ts");
const VECTOR_FILE = join(ROOT, "tests/fixtures/vector_stores/handbook.md");

async function run(args: readonly string[], cwd: string, flags: readonly string[]) {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--cached-only", ...flags, ...args],
    cwd,
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The permission set itself, with the same paths below another folder. */
async function flagsWithSet(): Promise<readonly string[]> {
  const paths = (await flagsOfTask("serve")).filter((flag) => /^--allow-(read|write)=/.test(flag));
  return [`--config=${CONFIGURATION}`, "--no-prompt", "-P=serve", ...paths];
}

const WAYS = [["flags", () => flagsOfTask("serve")], ["permission set", flagsWithSet]] as const;

for (const [way, flags] of WAYS) {
  Deno.test(`under the ${way} of the task nothing else of the machine can be reached`, async () => {
    await triesAreRefused(await flags());
  });
}

async function triesAreRefused(flags: readonly string[]): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const data = join(folder, "data");
    await Deno.mkdir(data);
    const { stdout, stderr } = await run([TRYING, data], folder, flags);
    assert(stdout !== "", stderr);
    const became: Record<string, string> = JSON.parse(stdout);
    const {
      "write where it may": written,
      "read where it may": read,
      "look at the store": seen,
      ...forbidden
    } = became;
    assertEquals([written, read, seen], ["done", "done", "done"]);
    for (const [what, error] of Object.entries(forbidden)) {
      assertEquals(error, "NotCapable", what);
    }
    assertEquals(Object.keys(forbidden).length, 19);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a store or configuration elsewhere is refused with the flags to add", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "elsewhere", "svc.kv");
    const config = join(folder, "other.json");
    const ports = ["--port", "0", "--admin-port", "0"];
    const args = [MAIN, "serve", ...ports, "--kv-path", kvPath, "--config", config];
    const { code, stdout, stderr } = await run(args, ROOT, await flagsOfTask("serve"));
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, `--allow-read=${config} `);
    assertStringIncludes(stderr, `--allow-read=${join(folder, "elsewhere")} `);
    assertStringIncludes(stderr, `--allow-write=${join(folder, "elsewhere")}:`);
    assertStringIncludes(stderr, "SERVE_OPTIONS");
    assertEquals((await Array.fromAsync(Deno.readDir(folder))).length, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the flags suffice for calls, images, stored responses and vector stores", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using service = await ServiceProcess.start(join(folder, "svc.kv"), {
      SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    });
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`${service.publicUrl}/openai/v1/${path}`, {
        method: "POST",
        headers: { "x-api-key": BOOTSTRAP_KEY, "content-type": "application/json" },
        body: JSON.stringify({ model: "auto", ...Object(body) }),
      });
      const text = await response.text();
      assertEquals(response.status, 200, text);
      return JSON.parse(text);
    };
    await post("chat/completions", { messages: [{ role: "user", content: "Hi" }] });
    const first = await post("responses", { input: "Hi", store: true });
    await post("responses", { input: "More", previous_response_id: first.id });
    await post("images/generations", { prompt: "A lamp", size: "256x256" });
    const admin = async (path: string, body: BodyInit, type: string) => {
      const response = await fetch(`${service.adminUrl}/admin/v1/vector-stores${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": type },
        body,
      });
      const answer = await response.json();
      assert(response.ok, JSON.stringify(answer));
      return answer;
    };
    const store = JSON.stringify({ name: "Handbook", wallet: "default" });
    const { id } = await admin("", store, "application/json");
    const file = await Deno.readFile(VECTOR_FILE);
    await admin(`/${id}/files?filename=handbook.md`, file, "text/markdown");
    const question = JSON.stringify({ query: "when is the gallery closed" });
    const { results } = await admin(`/${id}/search`, question, "application/json");
    assertEquals(results[0].filename, "handbook.md");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a new admin token is kept for the command line by a process that opens no more files", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "svc.kv");
    const env = { SERVICE_KV_PATH: kvPath };
    const shows = async () => (await svc(["wallets", "list", "--json"], env)).code;
    {
      await using service = await ServiceProcess.start(kvPath);
      const rotated = await svc(["admin-token", "rotate"], env);
      assertEquals([rotated.code, rotated.stderr], [0, ""]);
      assertEquals(await shows(), 0);
      assertEquals((await service.end("SIGTERM")).stderr.includes("NotCapable"), false);
    }
    await using _again = await ServiceProcess.start(kvPath);
    assertEquals(await shows(), 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a process that opens no more files sees that its store has gone, and refuses to begin anew", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "svc.kv");
    {
      await using service = await ServiceProcess.start(kvPath);
      const ready = async () => {
        const response = await fetch(`${service.publicUrl}/readyz`);
        return (await response.json()).error?.message;
      };
      assertEquals(await ready(), undefined);
      await Deno.remove(kvPath);
      while (await ready() === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
      assertEquals(await ready(), "The store's file was deleted, replaced or emptied");
      const { stderr } = await service.end("SIGTERM");
      assertStringIncludes(stderr, "store_gone");
      assert(!stderr.includes("store_not_watched"), stderr);
    }
    const ports = ["--port", "0", "--admin-port", "0"];
    const again = await svc(["serve", ...ports, "--kv-path", kvPath], {});
    assertEquals(again.code, 1);
    assertStringIncludes(again.stderr, "is missing or empty");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an upstream whose credentials file cannot be read after the start is left out, and its variable named", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [account, config] = [join(folder, "account.json"), join(folder, "svc.json")];
    await Deno.writeTextFile(account, "{}");
    const name = { en: "Standard", zh: "标准" };
    const upstream = {
      ...{ id: "vertex", kind: "google-vertex", project: "p", region: "europe-west1" },
      credentialsFileEnv: "GOOGLE_APPLICATION_CREDENTIALS",
    };
    const model = {
      ...{
        id: "gemini",
        upstream: "vertex",
        upstreamModel: "m",
        endpoints: ["chat"],
        quality: 0.5,
      },
      ...{ contextTokens: 9_000, maxOutputTokens: 100 },
      price: { inputPerMTok: "1", outputPerMTok: "2" },
    };
    const tier = { id: "standard", creditsPerUsd: "1000", models: "*", name, description: name };
    const content = { upstreams: [upstream], models: [model], tiers: [tier] };
    await Deno.writeTextFile(config, JSON.stringify(content));
    const env = { GOOGLE_APPLICATION_CREDENTIALS: account };
    for (const reads of [[], [account]]) {
      await using service = await ServiceProcess.start(join(folder, "svc.kv"), env, {
        config,
        reads,
      });
      const response = await fetch(`${service.publicUrl}/readyz`);
      const { error } = await response.json();
      assertEquals(response.status, reads.length === 0 ? 503 : 200, error?.message);
      const { stderr } = await service.end("SIGTERM");
      const advice = "--allow-read of the file that GOOGLE_APPLICATION_CREDENTIALS names";
      assertEquals(stderr.includes(advice), reads.length === 0, stderr);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
