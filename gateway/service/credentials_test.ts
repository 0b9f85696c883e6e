import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { credentialsPath, readCredentials, writeCredentials } from "./credentials.ts";

Deno.test("credentials stand beside a store that is a file, readable by their user only", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = credentialsPath(join(folder, "svc.kv")) ?? "";
    assertEquals(await readCredentials(path), undefined);
    await writeCredentials(path, { url: "http://127.0.0.1:1", token: "t" });
    await writeCredentials(path, { url: "http://127.0.0.1:2", token: "t" });
    assertEquals(await readCredentials(path), { url: "http://127.0.0.1:2", token: "t" });
    if (Deno.build.os !== "windows") assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
    await Deno.writeTextFile(path, "{}");
    assertEquals(await readCredentials(path), undefined);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a store that is no file leaves no credentials", () => {
  assertEquals(credentialsPath(":memory:"), undefined);
  assertEquals(credentialsPath("https://kv.example.com/x"), undefined);
});
