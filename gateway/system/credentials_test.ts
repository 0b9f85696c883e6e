import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  CredentialsFile,
  credentialsPath,
  readCredentials,
  writeCredentials,
} from "./credentials.ts";

Deno.test("credentials stand beside a store that is a file, readable by their user only", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = credentialsPath(join(folder, "svc.kv")) ?? "";
    assertEquals(await readCredentials(path), undefined);
    await writeCredentials(path, { url: "http://127.0.0.1:1", token: "t" });
    await writeCredentials(path, { url: "http://127.0.0.1:2", token: "t" });
    assertEquals(await readCredentials(path), { url: "http://127.0.0.1:2", token: "t" });
    if (Deno.build.os !== "windows") assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
    for (const text of ["{}", "null", "", '{"url": 1, "token": "t"}']) {
      await Deno.writeTextFile(path, text);
      assertEquals(await readCredentials(path), undefined, text);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a store that is not a file leaves no credentials", () => {
  assertEquals(credentialsPath(":memory:"), undefined);
  assertEquals(credentialsPath("https://kv.example.com/x"), undefined);
});

Deno.test("every start brings the address up to date, and goes back to the first token", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "svc.kv.admin.json");
    const file = new CredentialsFile(path);
    const started = async (port: number, adminToken?: string) => {
      const url = `http://127.0.0.1:${port}`;
      await file.refresh({ url, adminToken });
      file.close();
      return await readCredentials(path);
    };
    assertEquals(await started(1), undefined);
    assertEquals(await started(2, "first"), { url: "http://127.0.0.1:2", token: "first" });
    assertEquals(await started(3), { url: "http://127.0.0.1:3", token: "first" });
    assertEquals(await started(4, "given"), { url: "http://127.0.0.1:4", token: "given" });
    assertEquals(await started(5, "other"), { url: "http://127.0.0.1:5", token: "other" });
    assertEquals(await started(6), { url: "http://127.0.0.1:6", token: "first" });
    await Deno.writeTextFile(path, '{"url": "cut sho');
    assertEquals(await started(7, "given"), { url: "http://127.0.0.1:7", token: "given" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a new first token takes the old one's place, also beside a given one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "svc.kv.admin.json");
    const file = new CredentialsFile(path);
    await file.replaceFirstToken("lost");
    assertEquals(await readCredentials(path), undefined);
    const url = "http://127.0.0.1:1";
    await file.refresh({ url, adminToken: "first" });
    await file.replaceFirstToken("second, which is longer");
    assertEquals(await readCredentials(path), { url, token: "second, which is longer" });
    await file.replaceFirstToken("2");
    assertEquals(await readCredentials(path), { url, token: "2" });
    await file.refresh({ url, adminToken: "given" });
    await file.replaceFirstToken("third");
    assertEquals(await readCredentials(path), { url, token: "given" });
    await file.refresh({ url });
    assertEquals(await readCredentials(path), { url, token: "third" });
    file.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
