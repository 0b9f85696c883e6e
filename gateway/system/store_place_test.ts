import { assert, assertEquals, assertFalse } from "@std/assert";
import { secretsIn, shownPlace, storePlaceOf } from "./store_place.ts";

Deno.test("a store is named by either name, and PostgreSQL by the newer one only", () => {
  assertEquals(storePlaceOf({}), { kind: "kv", path: "data/svc.kv" });
  assertEquals(storePlaceOf({ kvPath: "a.kv" }), { kind: "kv", path: "a.kv" });
  assertEquals(storePlaceOf({ store: "a.kv", kvPath: "a.kv" }), { kind: "kv", path: "a.kv" });
  for (const store of ["postgres://a@b/c", "postgresql://a@b/c", "POSTGRES://a@b/c"]) {
    assertEquals(storePlaceOf({ store }), { kind: "postgres", url: store });
    const refusals = [{ kvPath: store }, { store, kvPath: "a.kv" }].map(storePlaceOf);
    for (const text of refusals) assertFalse(typeof text !== "string" || text.includes("a@b"));
  }
  assertEquals(typeof storePlaceOf({ store: "a.kv", kvPath: "b.kv" }), "string");
});

Deno.test("a mistyped URL is no file, and is not repeated", () => {
  for (
    const url of [
      "postgresql+psycopg://svc:secret@db/svc",
      "postgres:/svc:secret@db/svc",
      "postgresql:svc:secret@db/svc",
      "jdbc:postgresql://svc:secret@db/svc",
      "pg://svc:secret@db/svc",
      '"postgres://svc:secret@db/svc"',
      " postgres://svc:secret@db/svc",
      "host=db user=svc password=secret",
      "file:///data/svc.kv",
    ]
  ) {
    for (const names of [{ store: url }, { kvPath: url }]) {
      const refusal = storePlaceOf(names);
      assert(typeof refusal === "string" && !/secret|data/.test(refusal), url);
    }
  }
  for (const path of ["https://kv.example/1", ":memory:", "C:\\svc.kv", "C:/svc.kv", "a:b.kv"]) {
    assertEquals(storePlaceOf({ store: path }), { kind: "kv", path });
  }
});

Deno.test("a place is shown without its password, however the URL is written", () => {
  const shown = (url: string) => shownPlace({ kind: "postgres", url });
  assertEquals(
    shown("postgres://u:secret@h:1,[::1]:2/db?password=secret"),
    "postgres://h:1,[::1]:2/db",
  );
  for (
    const url of [
      "postgres://u:sec@ret@host/db",
      "postgres://u:sec/ret@host/db",
      "postgres://u:sec#ret@host/db",
      "postgres://u:sec?ret@host/db",
      "postgres://u:secret",
    ]
  ) {
    assert(!/sec|ret/.test(shown(url)), shown(url));
  }
});

Deno.test("the password of a place is known, to be removed from every text", () => {
  const secrets = (url: string) => secretsIn({ kind: "postgres", url });
  assertEquals(secrets("postgres://u:p%40ss@h/db"), ["p%40ss", "p@ss"]);
  assertEquals(secrets("postgres://u:p@ss/w@h/db")[0], "p@ss/w");
  assertEquals(secrets("postgres://u@h/db?password=pass%20word"), ["pass word"]);
  assertEquals(secretsIn({ kind: "kv", path: "a:b@c" }), []);
});
