import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../ports/store_error.ts";
import { claimFile, lockFile } from "./file.ts";
import { openKvStores } from "./open.ts";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function problemOf(opening: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => opening, StoreError)).message;
}

/** Empty stores of all kinds. */
const EMPTY = {
  "nothing": (path: string) => Deno.remove(path),
  "an empty file": (path: string) => Deno.truncate(path, 0),
  "an empty database": async (path: string) => {
    await Deno.remove(path);
    (await Deno.openKv(path)).close();
  },
};

for (const [what, empty] of Object.entries(EMPTY)) {
  Deno.test(`${what} in the place of a store that was in use is refused`, async () => {
    await withFolder(async (folder) => {
      const [path, mark] = [join(folder, "svc.kv"), join(folder, "svc.kv.admin.json")];
      await (await openKvStores(path, { mark })).close();
      await Deno.writeTextFile(mark, "{}");
      await (await openKvStores(path, { mark })).close();
      for (const suffix of ["-wal", "-shm"]) await Deno.remove(path + suffix).catch(() => {});
      await empty(path);
      for (let tries = 0; tries < 2; tries++) {
        const problem = await problemOf(openKvStores(path, { mark }));
        assertStringIncludes(problem, "svc restore");
        assertStringIncludes(problem, `remove "${mark}"`);
      }
      await Deno.remove(mark);
      await (await openKvStores(path, { mark })).close();
    });
  });
}

Deno.test("a store is not opened twice under any name", async () => {
  await withFolder(async (folder) => {
    const [path, other] = [join(folder, "svc.kv"), join(folder, "other.kv")];
    const first = await openKvStores(path);
    await Deno.link(path, other);
    const why = Deno.build.os === "linux" ? "another process has it open" : "hard links";
    for (const open of [openKvStores, claimFile, lockFile]) {
      assertStringIncludes(await problemOf(open(other)), why);
    }
    await first.close();
    if (Deno.build.os === "linux") await (await openKvStores(other)).close();
  });
});

Deno.test("a store whose file is gone takes no more writes until it is back", async () => {
  await withFolder(async (folder) => {
    const [path, aside] = [join(folder, "svc.kv"), join(folder, "aside.kv")];
    const messages: string[] = [];
    const stores = await openKvStores(path, { onGone: (message) => messages.push(message) });
    await stores.probe();
    assertEquals(await stores.isGone(), false);
    await Deno.rename(path, aside);
    await Deno.writeTextFile(path, "");
    await until(() => stores.isGone());
    assertStringIncludes(await problemOf(stores.probe()), "was deleted, replaced or emptied");
    assertEquals([stores.health(), messages.length], ["failing", 1]);
    await Deno.rename(aside, path);
    await until(async () => !await stores.isGone());
    await stores.probe();
    assertEquals(stores.health(), "ok");
    await stores.close();
  });
});

Deno.test("a store whose file was emptied accepts no more writes", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "svc.kv");
    const stores = await openKvStores(path);
    await stores.probe();
    await until(async () => !await stores.isGone());
    const content = await Deno.readFile(path);
    await Deno.truncate(path, 0);
    await until(() => stores.isGone());
    assertStringIncludes(await problemOf(stores.probe()), "emptied");
    assertEquals(stores.health(), "failing");
    await Deno.writeFile(path, content);
    await until(async () => !await stores.isGone());
    await stores.probe();
    await stores.close();
  });
});

Deno.test("a damaged row is reported once and stays known", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "svc.kv");
    const messages: string[] = [];
    const stores = await openKvStores(path, { onDamage: (message) => messages.push(message) });
    await stores.settings.set("colour", "blue");
    assertEquals(stores.damage(), undefined);
    const kv = await Deno.openKv(path);
    await kv.set(["setting", "colour"], new TextEncoder().encode("{broken"));
    kv.close();
    for (let tries = 0; tries < 2; tries++) {
      const error = await assertRejects(() => stores.settings.get("colour"), StoreError);
      assert(error.isDamage);
    }
    assertEquals(messages.length, 1);
    assertEquals(stores.damage(), messages[0]);
    assertEquals(await stores.settings.get("other"), undefined);
    await stores.close();
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}

Deno.test("a lock that is released shortly afterwards, as by a child process that starts, is taken", async () => {
  await withFolder(async (folder) => {
    const name = join(folder, "store.kv");
    const holder = await Deno.open(`${name}.lock`, { create: true, write: true });
    assert(await holder.tryLock(true));
    const locked = lockFile(name);
    setTimeout(() => holder.close(), 60);
    (await locked).release();
  });
});
