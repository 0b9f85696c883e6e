import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { CONFIGURATION } from "../fixtures/task_flags.ts";

const MAIN = join(fromFileUrl(import.meta.resolve("../../")), "gateway/main.ts");

Deno.test({
  name: "a line of the log that cannot be written ends nothing",
  // The device that is always full is a thing of Linux.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const flags = ["--quiet", "--cached-only", `--config=${CONFIGURATION}`, "--allow-env"];
    const script = 'exec "$0" "$@" 2>/dev/full';
    const command = new Deno.Command("sh", {
      args: ["-c", script, Deno.execPath(), "run", ...flags, MAIN, "variables"],
      env: { SERVICE_PROT: "1" },
    });
    assertEquals((await command.output()).code, 0);
  },
});
