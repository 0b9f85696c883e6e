import { assertEquals } from "@std/assert";
import { isUnrestricted } from "./deno_permissions.ts";

/** Asks with permissions of the test's own, by name. */
function withPermissions(query: (name: string) => object): boolean {
  const { querySync } = Deno.permissions;
  Deno.permissions.querySync = ({ name }) => Object(query(name));
  try {
    return isUnrestricted();
  } finally {
    Deno.permissions.querySync = querySync;
  }
}

Deno.test("a process is unrestricted where it may do everything, without an exception", () => {
  const granted = { state: "granted", partial: false };
  assertEquals(withPermissions(() => granted), true);
  for (const odd of ["read", "write", "net", "env", "sys", "run", "ffi", "import"]) {
    for (const other of [{ state: "prompt" }, { state: "denied" }, { ...granted, partial: true }]) {
      assertEquals(withPermissions((name) => name === odd ? other : granted), false, odd);
    }
  }
});

Deno.test("a permission that an older Deno does not know withholds nothing", () => {
  const query = (name: string) => {
    if (name === "import") throw new TypeError('The provided value "import" is not valid');
    return { state: "granted" };
  };
  assertEquals(withPermissions(query), true);
});
