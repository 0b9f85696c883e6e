import { assert, assertEquals } from "@std/assert";

/** A process that throws where nobody catches, as the service is set up. */
async function crash(how: string): Promise<{ code: number; said: string }> {
  const from = (path: string) => JSON.stringify(import.meta.resolve(path));
  const script = `
    import { createJsonLogger } from ${from("../system/logger.ts")};
    import { Secrets } from ${from("../system/secrets.ts")};
    import { tellCrashes } from ${from("./crash.ts")};
    const secrets = new Secrets();
    secrets.add("canary-in-a-crash");
    const logger = createJsonLogger({
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      write: (line) => console.error(line),
      removeSecrets: (text) => secrets.remove(text),
    });
    tellCrashes(logger, () => Deno.exit(1));
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
    return { code, said: decoder.decode(stdout) + decoder.decode(stderr) };
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("what nobody caught is told without secrets; an exception ends the service", async () => {
  for (
    const [how, event, exit] of [
      ["setTimeout(bug)", "uncaught_exception", 1],
      ["queueMicrotask(bug)", "uncaught_exception", 1],
      ["void Promise.resolve().then(bug)", "unhandled_rejection", 3],
    ] as const
  ) {
    const { code, said } = await crash(how);
    assertEquals(code, exit, said);
    const [line = "", ...more] = said.trim().split("\n");
    assertEquals([JSON.parse(line).event, more], [event, []]);
    assert(line.includes("Sent [removed]") && !said.includes("canary"), said);
  }
});
