import { assert, assertEquals } from "@std/assert";
import type { AdminOperation } from "../../admin_api/operation.ts";
import { OPERATIONS_BY_NOUN } from "../../admin_api/operations.ts";
import { ROLE_RIGHTS, ROLES } from "../../domain/operators/roles.ts";
import { assertRefused, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const OPERATIONS = Object.values(OPERATIONS_BY_NOUN).flatMap((noun) =>
  Object.entries<AdminOperation>(noun)
);

/** Sends an empty request to an operation with a token; resolves to the status. */
async function statusOf(
  { app }: TestAdmin,
  target: string,
  token: string,
): Promise<{ status: number; code: string | undefined }> {
  const [method = "", path = ""] = target.split(" ");
  const address = `http://localhost/admin/v1${path.replaceAll(/\{\w+\}/g, "none")}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = method === "POST" ? "{}" : null;
  const response = await app.request(address, { method, headers, body });
  const text = response.headers.get("content-type")?.includes("json") ? await response.text() : "";
  await response.body?.cancel().catch(() => {});
  return { status: response.status, code: /"code":"(\w+)"/.exec(text)?.[1] };
}

/** Creates an operator with a token. */
export async function operatorWith(
  { post }: TestAdmin,
  values: { role: string; grants?: readonly string[]; name?: string },
): Promise<{ id: string; token: string; tokenId: string }> {
  const made = await post("/operators", { name: `The ${values.role}`, ...values });
  assertEquals(made.status, 201, JSON.stringify(made.body));
  const issued = await post(`/operators/${made.body.id}/tokens`, { name: "Test" });
  assertEquals(issued.status, 201, JSON.stringify(issued.body));
  return { id: made.body.id, token: issued.body.token, tokenId: issued.body.id };
}

for (const role of ROLES) {
  Deno.test(`every admin route refuses the role "${role}" without its right, and no other`, async () => {
    await withAdmin(async (admin) => {
      const { token } = await operatorWith(admin, { role });
      const refused: string[] = [];
      for (const [target, { right }] of OPERATIONS) {
        const { status, code } = await statusOf(admin, target, token);
        const isRefused = status === 403 && code === "policy_denied";
        assert(status !== 401 && status < 500, `${target}: ${status}`);
        const mayPass = ROLE_RIGHTS[role].includes(right);
        // One route judges by itself: anybody may revoke their own tokens.
        const isOwn = target.startsWith("DELETE /operators/{id}/tokens/") && !mayManage(role);
        assertEquals(isRefused, !mayPass || isOwn, `${target} needs ${right}: ${status}`);
        if (isRefused) refused.push(target);
      }
      assert(refused.length > 0 && refused.length < OPERATIONS.length, String(refused.length));
    });
  });
}

function mayManage(role: typeof ROLES[number]): boolean {
  return ROLE_RIGHTS[role].includes("operators");
}

Deno.test("a refusal for want of a right changes nothing and leaves no entry of a change", async () => {
  await withAdmin(async (admin) => {
    const { token } = await operatorWith(admin, { role: "support" });
    const before = await admin.get("/audit");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await admin.app.request("http://localhost/admin/v1/wallets/team/credit", {
      ...{ method: "POST", headers, body: JSON.stringify({ credits: "5" }) },
    });
    assertEquals(response.status, 403);
    const { error } = await response.json();
    assertEquals(
      error.message,
      '"The support" with the role support may not create, credit and correct wallets, ' +
        "refund requests and move keys; ask an operator with the role billing or admin",
    );
    assertEquals((await admin.get("/wallets/team")).body.credits, "100.000000");
    assertEquals((await admin.get("/audit")).body, before.body);
  });
});

Deno.test("the admin token has every right and is called so", async () => {
  await withAdmin(async ({ get }) => {
    const { body } = await get("/operators/me");
    assertEquals([body.kind, body.name, body.role], ["emergency", "Admin token", null]);
    assert(body.rights.includes("content") && body.rights.includes("emergency"));
  });
});

Deno.test("no role reads logged texts, and no role replaces the admin token", () => {
  for (const role of ROLES) {
    assert(!ROLE_RIGHTS[role].includes("content"), role);
    assert(!ROLE_RIGHTS[role].includes("emergency"), role);
  }
  // A role may do all that a weaker one of its line may.
  for (const right of ROLE_RIGHTS.viewer) {
    for (const role of ROLES) assert(ROLE_RIGHTS[role].includes(right), `${role}: ${right}`);
  }
});

Deno.test("an unknown role is refused", async () => {
  await withAdmin(async ({ post }) => {
    const answer = await post("/operators", { name: "Kim", role: "root" });
    assertRefused(answer, { status: 400, code: "invalid_request", param: "role" });
  });
});
