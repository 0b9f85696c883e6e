import { assert, assertEquals, assertThrows } from "@std/assert";
import { StoreError } from "../../ports/store_error.ts";
import { databaseOf } from "./database_url.ts";

const FILES: Readonly<Record<string, string>> = { "ca.pem": "CA", "c.pem": "CERT", "k.pem": "KEY" };

function read(url: string) {
  return databaseOf(url, (path) => FILES[path] ?? Deno.readTextFileSync("no such file"));
}

Deno.test("a URL is read as libpq reads it", () => {
  assertEquals(read("postgres://u@"), read("postgresql://u@localhost:5432/u?sslmode=prefer"));
  assertEquals(read("postgres://u:p%40s%2Fs@[::1]:6000,b/d%20b?connect_timeout=7"), {
    hosts: [{ host: "::1", port: 6000 }, { host: "b", port: 5432 }],
    ...{ user: "u", password: "p@s/s", name: "d b", tls: "prefer", applicationName: "svc" },
    ...{ connectSeconds: 7, session: {} },
  });
  const options = "host=/run/pg&port=1&user=u&password=p&dbname=d&application_name=a" +
    "&target_session_attrs=read-write&options=-c%20a.b%3D1%20--work-mem%3D2";
  assertEquals(read(`postgres:///?${options}`), {
    hosts: [{ host: "/run/pg", port: 1 }],
    ...{ user: "u", password: "p", name: "d", tls: "prefer", applicationName: "a" },
    ...{ targetSessionAttrs: "read-write", session: { "a.b": "1", work_mem: "2" } },
  });
});

Deno.test("TLS is as strict as its mode says, and verifies where a root certificate is given", () => {
  const tls = (query: string) => {
    const { tls } = read(`postgres://u@h/d?${query}`);
    if (typeof tls === "string") return tls;
    const { checkServerIdentity, ...others } = tls;
    return { ...others, anyHost: checkServerIdentity !== undefined };
  };
  assertEquals(tls("sslmode=disable"), "disable");
  assertEquals(tls("sslmode=allow"), "prefer");
  assertEquals(tls("sslmode=require"), "require");
  const verified = { rejectUnauthorized: true, ca: "CA" };
  assertEquals(tls("sslmode=require&sslrootcert=ca.pem"), { ...verified, anyHost: true });
  assertEquals(tls("sslmode=verify-ca&sslrootcert=ca.pem"), { ...verified, anyHost: true });
  assertEquals(tls("sslmode=verify-full&sslrootcert=ca.pem"), { ...verified, anyHost: false });
  assertEquals(tls("sslrootcert=system"), { rejectUnauthorized: true, anyHost: false });
  assertEquals(tls("sslmode=require&sslcert=c.pem&sslkey=k.pem"), {
    ...{ rejectUnauthorized: false, cert: "CERT", key: "KEY", anyHost: true },
  });
});

Deno.test("a URL that cannot be used is refused by a sentence that repeats nothing of it", () => {
  for (
    const url of [
      ...["postgres://", "postgres://:secret@h/d", "postgres://u:sec#ret@h/d"],
      ...["postgres://u:secret/x@h/d", "postgres://u:%zzsecret@h/d", "postgres://u:secret"],
      ...["postgres://u:x@h:99999/secret", "postgres://u:x@h/d?secret%20=1"],
      ...["postgres://u@h/d?sslmode=secret", "postgres://u@h/d?connect_timeout=secret"],
      ...["postgres://u@h/d?target_session_attrs=secret", "postgres://u@h/d?options=secret"],
      ...[
        "postgres://u@h/d?channel_binding=require",
        "postgres://u@h/d?sslmode=verify-ca&sslrootcert=secret",
      ],
    ]
  ) {
    const { message } = assertThrows(() => read(url), StoreError);
    assert(message.includes("SERVICE_STORE") && !message.includes("secret"), message);
  }
});
