import { assert, assertEquals, assertMatch } from "@std/assert";
import { mappedRole, parseGroupRoles } from "./group_roles.ts";
import {
  type Actor,
  EMERGENCY,
  managementRefusal,
  type Operator,
  tokenHolder,
} from "./operator.ts";
import { type Grant, rightsOf, type Role, ROLES } from "./roles.ts";
import { differences } from "./trail.ts";

function actor(role: Role, grants: readonly Grant[] = [], id = "opr_self"): Actor {
  return { kind: "operator", id, name: "Kim", role, rights: rightsOf(role, grants) };
}

Deno.test("nobody manages their own record, however many rights they have", () => {
  for (const self of [EMERGENCY, actor("admin", ["content"])]) {
    const refusal = managementRefusal(self, { id: self.id, rights: [] });
    assertEquals(refusal?.code, "own_record");
  }
});

Deno.test("nobody gives or manages a right that they lack, for every pair of roles", () => {
  for (const mine of ROLES) {
    for (const theirs of ROLES) {
      for (const grants of [[], ["content"]] as const) {
        const self = actor(mine);
        const rights = rightsOf(theirs, grants);
        const isCovered = rights.every((right) => self.rights.includes(right));
        const refusal = managementRefusal(self, { id: "opr_other", rights });
        assertEquals(refusal?.code, isCovered ? undefined : "rights_missing", `${mine} ${theirs}`);
        assertEquals(managementRefusal(EMERGENCY, { id: "opr_other", rights }), undefined);
      }
    }
  }
});

Deno.test("a token is in force until its end, while its operator is active", () => {
  const operator: Operator = {
    ...{ id: "opr_1", name: "Kim", role: "viewer", grants: [], state: "active" },
    tokens: [{ id: "t", name: "", digest: "1.a", createdAtMs: 0, expiresAtMs: 10 }],
    ...{ createdAtMs: 0, sessionsSinceMs: 0, version: 1 },
  };
  assertEquals(tokenHolder([operator], ["2.b", "1.a"], 9)?.operator, operator);
  assertEquals(tokenHolder([operator], ["1.a"], 10), undefined);
  assertEquals(tokenHolder([operator], ["2.b"], 9), undefined);
  assertEquals(tokenHolder([{ ...operator, state: "disabled" }], ["1.a"], 9), undefined);
});

Deno.test("groups give the strongest role, and grants only beside a role", () => {
  const mapping = parseGroupRoles("staff=viewer, ou=ops,dc=x=admin ,privacy=content, desk=support");
  assertMatch(String(mapping), /not "ou=ops"/, "A comma divides pairs");
  const pairs = parseGroupRoles("staff=viewer,team=ops=admin,privacy=content,desk=support");
  assert(typeof pairs !== "string");
  assertEquals(mappedRole(pairs, ["staff", "desk"]), { role: "support", grants: [] });
  assertEquals(mappedRole(pairs, ["team=ops", "privacy"]), { role: "admin", grants: ["content"] });
  assertEquals(mappedRole(pairs, ["privacy"]), undefined);
  assertEquals(mappedRole(pairs, ["Staff", "staff ", ""]), undefined);
  for (const wrong of ["staff", "=viewer", "staff=root", "staff="]) {
    assertEquals(typeof parseGroupRoles(wrong), "string", wrong);
  }
});

Deno.test("differences are the fields that changed, came or went", () => {
  assertEquals(
    differences({ a: 1, b: [1], c: 3 }, { a: 1, b: [2], d: 4 }),
    { before: { b: [1], c: 3 }, after: { b: [2], d: 4 } },
  );
  assertEquals(differences(undefined, { id: 1 }), { before: null, after: { id: 1 } });
});
