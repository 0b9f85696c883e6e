import { assert, assertEquals } from "@std/assert";

/** Runs a process that throws an uncaught error, set up like the service. */
async function crash(how: string): Promise<{ code: number; output: string }> {
  const from = (path: string) => JSON.stringify(import.meta.resolve(path));
  const script = `
    import { createJsonLogger } from ${from("../system/logger.ts")};
    import { Secrets } from ${from("../system/secrets.ts")};
    import { logCrashes } from ${from("./crash.ts")};
    const secrets = new Secrets();
    secrets.add("canary-in-a-crash");
    const logger = createJsonLogger({
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      write: (line) => console.error(line),
      removeSecrets: (text) => secrets.remove(text),
    });
    logCrashes(logger, () => Deno.exit(1));
    const bug = () => { throw new Error("Sent canary-in-a-crash"); };
    ${how};
    setTimeout(() => Deno.exit(3), 500);
  `;
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(path, script);
    const { code, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "--cached-only", path],
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("an uncaught error is logged without secrets; an exception ends the service", async () => {
  for (
    const [how, event, exit] of [
      ["setTimeout(bug)", "uncaught_exception", 1],
      ["queueMicrotask(bug)", "uncaught_exception", 1],
      ["void Promise.resolve().then(bug)", "unhandled_rejection", 3],
    ] as const
  ) {
    const { code, output } = await crash(how);
    assertEquals(code, exit, output);
    const [line = "", ...more] = output.trim().split("\n");
    assertEquals([JSON.parse(line).event, more], [event, []]);
    assert(line.includes("Sent [removed]") && !output.includes("canary"), output);
  }
});
