import { assertEquals, assertThrows } from "@std/assert";
import { ServiceFault } from "../fault.ts";
import { hasTag, parseTags, summedUser, tagsObject, usersOf, valueOf } from "./attribution.ts";

Deno.test("parseTags() returns tags in order of names", () => {
  assertEquals(parseTags(null), undefined);
  assertEquals(parseTags("team=search"), "team=search");
  assertEquals(
    parseTags("team=search, env=a=b ,a.b-c_1=x/y:z@1"),
    "a.b-c_1=x/y:z@1,env=a=b,team=search",
  );
  const eight = Array.from({ length: 8 }, (_, at) => `n${at}=${at}`).join(", ");
  assertEquals(parseTags(eight)?.split(",").length, 8);
});

Deno.test("parseTags() refuses what is no tag, is named twice or is one too many", () => {
  const nine = Array.from({ length: 9 }, (_, at) => `n${at}=${at}`).join(", ");
  const refused = [
    "",
    "team",
    "team=",
    "=a",
    "1=a",
    "__proto__=a",
    "a=b,",
    "a=b c",
    'a="b"',
    "a=é",
    nine,
  ];
  refused.push(`a=${"v".repeat(65)}`, `${"n".repeat(33)}=v`, "a=1, a=2", ",".repeat(100_000));
  for (const header of refused) {
    const fault = assertThrows(() => parseTags(header), ServiceFault);
    assertEquals([fault.code, fault.param], ["invalid_request", "X-Tag"], header.slice(0, 20));
  }
});

Deno.test("tags are found by name, and by name and value", () => {
  const tags = parseTags("constructor=1, team=a=b");
  assertEquals(valueOf(tags, "team"), "a=b");
  assertEquals(valueOf(tags, "tea"), undefined);
  assertEquals(valueOf(tags, "toString"), undefined);
  assertEquals(valueOf(undefined, "team"), undefined);
  assertEquals([hasTag(tags, "team=a=b"), hasTag(tags, "team=a"), hasTag(undefined, "a=b")], [
    true,
    false,
    false,
  ]);
  assertEquals(tagsObject(tags), { constructor: "1", team: "a=b" } as Record<string, unknown>);
  assertEquals(tagsObject(undefined), {});
});

Deno.test("usersOf() reads user and safety_identifier, and refuses long ones", () => {
  assertEquals(usersOf({ user: 7, safety_identifier: null }), undefined);
  assertEquals(usersOf({ user: "" }), undefined);
  const both = usersOf({ user: "ann", safety_identifier: "hash" });
  assertEquals(both, { user: "ann", safetyIdentifier: "hash" });
  assertEquals(summedUser(both ?? {}), "ann");
  assertEquals(summedUser(usersOf({ safety_identifier: "hash" }) ?? {}), "hash");
  for (const value of ["x".repeat(257), "a\nb", "\ud800"]) {
    for (const param of ["user", "safety_identifier"]) {
      const fault = assertThrows(() => usersOf({ [param]: value }), ServiceFault);
      assertEquals([fault.code, fault.param], ["invalid_request", param]);
    }
  }
});
