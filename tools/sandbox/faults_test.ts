import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../tool.ts";
import { explaining } from "./faults.ts";

const ACTION = { what: 'read "a"', workspace: { path: "/resolved" } };

async function explained(cause: Error): Promise<[string, string]> {
  const { code, message } = await assertRejects(
    () => explaining(ACTION, () => Promise.reject(cause)),
    ToolError,
  );
  return [code, message];
}

Deno.test("failures of the system are described in words", async () => {
  const full = Object.assign(new Error("ENOSPC: /private/path"), { code: "ENOSPC" });
  assertEquals(await explained(full), ["disk_full", 'Cannot read "a": the disk is full']);
});

Deno.test("a missing permission names the flag that gives it", async () => {
  const cause = Object.assign(
    new Error('Requires write access to "/x", run again with the --allow-write flag'),
    { name: "NotCapable" },
  );
  const [code, message] = await explained(cause);
  assertEquals(code, "permission_missing");
  assertEquals(
    message,
    'Cannot read "a": the program runs without the Deno permission for it; ' +
      "the operator can add --allow-write=/resolved",
  );
});

Deno.test("an explained and an unknown failure stay unchanged", async () => {
  for (const cause of [new ToolError("No"), new TypeError("A bug"), new Error("NotCapable")]) {
    const thrown = await assertRejects(
      () => explaining(ACTION, () => Promise.reject(cause)),
      Error,
    );
    assertEquals(thrown, cause);
  }
  const env = Object.assign(new Error("Requires env access"), { name: "NotCapable" });
  assertEquals(
    await assertRejects(() => explaining(ACTION, () => Promise.reject(env)), Error),
    env,
  );
});
