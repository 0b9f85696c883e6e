import { assert, assertEquals } from "@std/assert";
import type { AdminOperation } from "../../admin_api/operation.ts";
import { OPERATIONS_BY_NOUN } from "../../admin_api/operations.ts";
import { type Right, RIGHTS, type Role, ROLE_RIGHTS, ROLES } from "../../domain/operators/roles.ts";
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

/** The operations of each right, written out: what the code says is compared with this. */
const OPERATIONS_OF: Readonly<Record<Right, readonly string[]>> = {
  read: [
    "GET /wallets",
    "GET /wallets/{id}",
    "GET /wallets/{id}/holds",
    "GET /wallets/{id}/statement",
    "GET /corrections",
    "GET /corrections/{id}",
    "GET /keys",
    "POST /keys/preview",
    "GET /keys/{id}",
    "GET /keys/{id}/rotation",
    "GET /catalog",
    "GET /catalog/versions",
    "GET /catalog/versions/{version}",
    "GET /catalog/versions/{version}/changes",
    "GET /catalog/check",
    "GET /models",
    "GET /upstreams",
    "GET /requests",
    "GET /requests/tail",
    "GET /requests/{id}",
    "GET /overview",
    "GET /usage",
    "GET /service",
    "GET /routing/tasks",
    "GET /routing/tasks/{task}",
    "GET /routing/requests/{id}",
    "GET /routing/snapshots",
    "GET /routing/export",
    "GET /routing/replay",
    "GET /routing/audit-budget",
    "GET /vector-stores",
    "GET /vector-stores/{id}",
    "GET /vector-stores/{id}/files",
    "GET /vector-stores/{id}/files/{fileId}",
    "GET /notify/targets",
    "GET /notify/incidents",
    "GET /notify/deliveries",
    "GET /operators/me",
    "DELETE /operators/{id}/tokens/{tokenId}",
  ],
  keys: [
    "POST /keys",
    "POST /keys/{id}/narrow",
    "POST /keys/{id}/embedding-model",
    "DELETE /keys/{id}/embedding-model",
    "POST /keys/{id}/rotate",
    "POST /keys/{id}/verify",
    "POST /keys/{id}/sign-in-link",
    "POST /keys/{id}/disable",
    "POST /keys/{id}/enable",
    "POST /keys/{id}/revoke",
  ],
  wallets: [
    "POST /wallets",
    "POST /wallets/{id}/credit",
    "POST /wallets/{id}/low-balance",
    "POST /wallets/{id}/debit",
    "POST /wallets/{id}/adjust",
    "POST /wallets/{id}/tier",
    "POST /wallets/{id}/close",
    "POST /keys/{id}/move",
    "POST /requests/{id}/refund",
    "POST /corrections/{id}/approve",
    "POST /corrections/{id}/refuse",
  ],
  books: [
    "GET /ledger/verify",
    "GET /ledger/export",
  ],
  playground: [
    "POST /playground",
    "DELETE /playground",
  ],
  vector_stores: [
    "POST /vector-stores",
    "DELETE /vector-stores/{id}",
    "POST /vector-stores/{id}/files",
    "DELETE /vector-stores/{id}/files/{fileId}",
    "POST /vector-stores/{id}/files/{fileId}/embeddings",
    "POST /vector-stores/{id}/search",
  ],
  catalog: [
    "POST /catalog/apply",
    "POST /catalog/rollback",
    "GET /upstreams/{id}/models",
  ],
  routing: [
    "POST /routing/freeze",
    "POST /routing/unfreeze",
    "POST /routing/reset",
  ],
  notifications: [
    "POST /notify/targets",
    "DELETE /notify/targets/{id}",
    "POST /notify/targets/{id}/test",
    "POST /notify/deliveries/{id}/retry",
    "POST /backups/reports",
  ],
  content: [
    "POST /keys/{id}/content-log",
  ],
  audit: [
    "GET /audit",
    "GET /audit/verify",
    "GET /audit/export",
  ],
  operators: [
    "GET /operators",
    "POST /operators",
    "GET /operators/{id}",
    "POST /operators/{id}/role",
    "POST /operators/{id}/disable",
    "POST /operators/{id}/enable",
    "POST /operators/{id}/tokens",
    "DELETE /operators/{id}/sessions",
    "GET /sessions",
    "DELETE /sessions/{id}",
  ],
  secrets: [
    "GET /pepper",
    "POST /pepper/rotate",
    "POST /pepper/drop",
  ],
  emergency: [
    "POST /admin-token/rotate",
    "POST /admin-token/confirm",
  ],
};

/** The roles of each right, as `docs/operators.md` has them; the last two are in no role. */
const ROLES_OF: Readonly<Record<Right, readonly Role[]>> = {
  read: ["viewer", "support", "billing", "admin"],
  keys: ["support", "admin"],
  playground: ["support", "admin"],
  vector_stores: ["support", "admin"],
  wallets: ["billing", "admin"],
  books: ["billing", "admin"],
  catalog: ["admin"],
  routing: ["admin"],
  notifications: ["admin"],
  audit: ["admin"],
  operators: ["admin"],
  secrets: ["admin"],
  content: [],
  emergency: [],
};

/** The words of the documents for the rights that no role has. */
const IN_NO_ROLE = new Map([["content", "grant"], ["emergency", "never"]]);

/** Returns the right of an operation by the table above. */
function rightOf(target: string): Right {
  const [right] = RIGHTS.filter((each) => OPERATIONS_OF[each].includes(target));
  assert(right !== undefined, `Give ${target} its place in the table above`);
  return right;
}

Deno.test("each operation needs the right of the table, and each role has those of the table", () => {
  const needed = OPERATIONS.map(([target, { right }]) => `${target}: ${right}`);
  const wanted = RIGHTS.flatMap((right) =>
    OPERATIONS_OF[right].map((target) => `${target}: ${right}`)
  );
  assertEquals(needed.sort(), wanted.sort());
  for (const role of ROLES) {
    const rights = RIGHTS.filter((right) => ROLES_OF[right].includes(role));
    assertEquals(RIGHTS.filter((right) => ROLE_RIGHTS[role].includes(right)), rights, role);
  }
});

Deno.test("the table of docs/operators.md says the same", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/operators.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `([a-z_]+)` +\|(.+)\|$/gm)].map((
    [, right = "", cells = ""],
  ) => [right, ...cells.split("|").slice(1).map((cell) => cell.trim())].join(" "));
  const wanted = RIGHTS.map((right) =>
    [
      right,
      ...ROLES.map((role) =>
        IN_NO_ROLE.get(right) ?? (ROLES_OF[right].includes(role) ? "yes" : "")
      ),
    ].join(" ")
  );
  assertEquals(rows.sort(), wanted.sort());
});

for (const role of ROLES) {
  Deno.test(`every admin route refuses the role "${role}" without its right, and no other`, async () => {
    await withAdmin(async (admin) => {
      const { token } = await operatorWith(admin, { role });
      const refused: string[] = [];
      for (const [target] of OPERATIONS) {
        const right = rightOf(target);
        const { status, code } = await statusOf(admin, target, token);
        const isRefused = status === 403 && code === "policy_denied";
        assert(status !== 401 && status < 500, `${target}: ${status}`);
        const mayPass = ROLES_OF[right].includes(role);
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
  return ROLES_OF.operators.includes(role);
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
