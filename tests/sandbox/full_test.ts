import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

/** Limits files to 64 kB; the signal that would end the process becomes an error of the write. */
const WITHOUT_ROOM = 'trap "" XFSZ; ulimit -f 128; exec "$@"';

Deno.test({
  name: "on a full disk, a write changes nothing and leaves nothing",
  ignore: Deno.build.os === "windows",
  async fn() {
    const workspace = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(join(workspace, "kept.txt"), "kept");
      const program = fromFileUrl(new URL("full_process.ts", import.meta.url));
      const flags = ["run", "--quiet", "--no-check", "--no-code-cache", "--allow-all"];
      const { stdout } = await new Deno.Command("/bin/sh", {
        args: ["-c", WITHOUT_ROOM, "sh", Deno.execPath(), ...flags, program, workspace],
      }).output();
      const ends = new TextDecoder().decode(stdout).trim().split("\n");
      assertEquals(ends, Array(4).fill("file_too_large"));
      assertEquals([...Deno.readDirSync(workspace)].map(({ name }) => name), ["kept.txt"]);
      assertEquals(await Deno.readTextFile(join(workspace, "kept.txt")), "kept");
    } finally {
      await Deno.remove(workspace, { recursive: true });
    }
  },
});
