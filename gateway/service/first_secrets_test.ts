import { assertEquals, assertFalse, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { firstStartLines } from "./banner.ts";
import { placeSecrets, requirePlaceForSecrets } from "./first_secrets.ts";

const SECRETS = { key: "svc_live_first_key", adminToken: "svc_admin_first_token" };
const URL = "http://127.0.0.1:1";

function kv(path: string) {
  return { kind: "kv", path } as const;
}

Deno.test("a terminal is shown both secrets, and no file is written", async () => {
  const kvPath = "no_such_folder/svc.kv";
  const places = await placeSecrets(SECRETS, { store: kv(kvPath) }, { isTerminal: true });
  const text = firstStartLines(places, URL);
  assertStringIncludes(text, `API key      ${SECRETS.key}\n`);
  assertStringIncludes(text, `Admin token  ${SECRETS.adminToken}\n`);
  assertStringIncludes(text, `"Authorization: Bearer ${SECRETS.key}"`);
});

Deno.test("without a terminal the key has a separate file, which replaces no other", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "it's a store.kv");
    const paths = [join(folder, "first.key"), join(folder, "first.key.2")];
    for (const path of paths) {
      const places = await placeSecrets(SECRETS, { store: kv(kvPath) }, { isTerminal: false });
      assertEquals(places, {
        key: { kind: "file", path },
        adminToken: { kind: "file", path: `${kvPath}.admin.json` },
      });
      assertEquals(await Deno.readTextFile(path), `${SECRETS.key}\n`);
      assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
      const text = firstStartLines(places, URL);
      for (const secret of Object.values(SECRETS)) assertFalse(text.includes(secret));
      assertStringIncludes(text, `$(cat ${path})`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a store that is not a file has its secrets printed, except those the operator supplied", async () => {
  const places = await placeSecrets(SECRETS, { store: kv(":memory:") }, { isTerminal: false });
  assertStringIncludes(firstStartLines(places, URL), SECRETS.adminToken);
  const given = { bootstrapKey: SECRETS.key, adminToken: SECRETS.adminToken };
  for (const isTerminal of [true, false]) {
    const kept = await placeSecrets(SECRETS, { store: kv(":memory:"), ...given }, { isTerminal });
    const text = firstStartLines(kept, URL);
    for (const secret of Object.values(SECRETS)) assertFalse(text.includes(secret), text);
    assertStringIncludes(text, "$SERVICE_BOOTSTRAP_KEY");
  }
});

Deno.test("a path that a shell would take apart is one word of the printed calls", () => {
  const path = "a folder/it's/first.key";
  const file = { kind: "file", path } as const;
  const text = firstStartLines({ key: file, adminToken: file }, URL);
  assertStringIncludes(text, `$(cat 'a folder/it'\\''s/first.key')`);
});

Deno.test("a first start on a database needs a place for its secrets", () => {
  const store = { kind: "postgres", url: "postgres://svc@127.0.0.1/svc" } as const;
  const adminToken = "svc_test_admin_token";
  const bootstrapKey = "svc_test_bootstrap_key";
  for (const given of [{}, { adminToken }, { bootstrapKey }]) {
    const start = () => requirePlaceForSecrets({ store, ...given }, { isTerminal: false });
    assertStringIncludes(assertThrows(start, Error).message, "SERVICE_CREDENTIALS_FILE");
  }
  const isTerminal = false;
  requirePlaceForSecrets({ store, adminToken, bootstrapKey }, { isTerminal });
  requirePlaceForSecrets({ store, credentialsFile: "data/a.json" }, { isTerminal });
  requirePlaceForSecrets({ store }, { isTerminal: true });
  requirePlaceForSecrets({ store: kv("data/svc.kv") }, { isTerminal });
});
