import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../system/clock.ts";
import { createSystemRng } from "../system/rng.ts";
import { observe } from "./observation.ts";
import { parseServeSettings } from "../config/settings.ts";

Deno.test("no secret of the settings, and no key that was looked up, is in the log", async () => {
  const parsed = parseServeSettings([], {
    SERVICE_ADMIN_TOKEN: "admin_0123456789abcdef",
    SERVICE_KEY_PEPPER: "pepper of many words",
    SERVICE_METRICS_TOKEN: "metrics_0123456789",
  });
  assert(parsed.ok);
  let output = "";
  const observed = await observe(parsed.settings, {
    clock: systemClock,
    rng: createSystemRng(systemClock),
    env: (name) => name === "SOME_API_KEY" ? "0123-provider-key" : undefined,
    complain: (text) => void (output += text),
  });
  assert(typeof observed !== "string");
  const { env, logger, telemetry } = observed;
  try {
    const cause =
      "admin_0123456789abcdef, pepper of many words, metrics_0123456789, 0123-provider-key";
    logger.error("odd", { cause });
    assert(output.includes("0123-provider-key"), "The key has not been read yet");
    output = "";
    assertEquals(env("SOME_API_KEY"), "0123-provider-key");
    logger.error("odd", { cause });
    assertEquals(JSON.parse(output).cause, Array(4).fill("[removed]").join(", "));
    const page = await telemetry.page();
    assert(page.includes('svc_log_lines_total{level="error",event="odd"} 2\n'));
  } finally {
    telemetry.close();
  }
});
