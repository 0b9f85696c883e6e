/**
 * Every operation of the operator's API, asked for by the document that describes it: a new one is called
 * without anybody thinking of it.
 *
 * @module
 */

import { assert } from "@std/assert";
import type { Scene } from "./scene.ts";
import { SECRETS, SHOWN } from "./scene.ts";

interface Described {
  readonly method: string;
  readonly path: string;
  /** The example of its request, where it takes one. */
  readonly example: unknown;
}

/** Returns the answer of each operation, with its name. */
export async function everyOperation(scene: Scene): Promise<string[]> {
  const ids = await things(scene);
  const described = await operations(scene);
  const bodies: Readonly<Record<string, unknown>> = {
    "POST /catalog/apply": { content: ids.content, dryRun: true },
    "POST /catalog/rollback": { version: 1, dryRun: true },
    "POST /keys/{id}/narrow": { policy: { models: ["openai.good"] } },
    "POST /keys/{id}/rotate": {},
    "POST /routing/freeze": {},
    "POST /routing/reset": {},
    "POST /notify/targets": { name: SHOWN, kind: "slack", url: HOOK },
    "POST /playground": {
      ...{ wallet: SHOWN, endpoint: "chat" },
      body: { model: "auto", messages: [{ role: "user", content: "Hi" }] },
    },
  };
  const answers: string[] = [];
  // What reads comes first, and what ends things last.
  const order = ["get", "post", "delete"];
  const sorted = described.toSorted((one, other) =>
    order.indexOf(one.method) - order.indexOf(other.method)
  );
  for (const { method, path, example } of sorted) {
    // It takes the token away that everything else is asked with.
    if (path.startsWith("/admin-token/")) continue;
    const name = `${method.toUpperCase()} ${path}`;
    const address = path.replace("/keys/{id}", `/keys/${ids.key}`)
      .replace("/wallets/{id}", `/wallets/${SHOWN}`)
      .replace("/requests/{id}", `/requests/${ids.request}`)
      .replace("/vector-stores/{id}", `/vector-stores/${ids.store}`)
      .replace(/\/notify\/(targets|deliveries)\/\{id\}/, "/notify/$1/none")
      .replace("{version}", "2")
      .replace("/operators/{id}", `/operators/${ids.operator}`)
      .replace("{tokenId}", ids.token)
      .replace("/sessions/{id}", "/sessions/none")
      .replace("/corrections/{id}", "/corrections/none")
      .replace("{fileId}", ids.file)
      .replace("{task}", ids.task);
    assert(!address.includes("{") || path.startsWith("/upstreams/"), `Name what is in ${path}`);
    const body = bodies[name] ?? (example === undefined && method !== "post" ? undefined : example);
    const upstreams = path.startsWith("/upstreams/") ? ids.upstreams : [""];
    for (const upstream of upstreams) {
      const query = path.endsWith("/files") && method === "post" ? "?filename=a.txt" : "";
      const to = address.replace("{id}", encodeURIComponent(upstream)) + query;
      answers.push(`${name} ${await scene.operate(method.toUpperCase(), to, body)}`);
    }
  }
  // The audit log has all of it by now.
  const audit = await scene.operate("GET", "/audit/export");
  for (const secret of ids.secrets) assert(!audit.includes(secret), secret);
  return [...answers, audit];
}

/** Nothing is sent beyond this machine. */
const HOOK = `http://127.0.0.1:9/services/${SECRETS.hookPath}?also=${SECRETS.hookPath}`;

/** A wallet, a key, a request, a vector store with a file, and a second version of the catalog. */
async function things(scene: Scene) {
  const ask = async (method: string, path: string, body?: unknown) =>
    JSON.parse(await scene.operate(method, path, body));
  await ask("POST", "/wallets", { id: SHOWN, credits: "1000" });
  const made = await ask("POST", "/keys", { name: SHOWN, wallet: SHOWN });
  const store = await ask("POST", "/vector-stores", { name: SHOWN, wallet: SHOWN });
  const file = await ask("POST", `/vector-stores/${store.id}/files?filename=${SHOWN}.txt`, "Words");
  const { content } = await ask("GET", "/catalog");
  await ask("POST", "/catalog/apply", { content: { ...content, auto: AUTO }, note: SHOWN });
  const operator = await ask("POST", "/operators", { name: SHOWN, role: "viewer" });
  const token = await ask("POST", `/operators/${operator.id}/tokens`, { name: SHOWN });
  // A key in place of its id, and secrets that are shown once.
  await ask("POST", `/keys/${made.key}/revoke`);
  const hook = await ask("POST", "/notify/targets", { name: "hook", kind: "webhook", url: HOOK });
  const mail = { host: "127.0.0.1", from: "a@example.com", to: ["b@example.com"] };
  const password = SECRETS.mailPassword;
  const letters = await ask("POST", "/notify/targets", {
    ...{ name: "mail", kind: "email", mail: { ...mail, user: "svc", password } },
  });
  assert(letters.id !== undefined && hook.secret !== undefined, JSON.stringify(letters));
  const { requests } = await ask("GET", "/requests?limit=1");
  const { tasks: [task] } = await ask("GET", "/routing/tasks?limit=1");
  const upstreams: string[] = content.upstreams.map(({ id }: { id: string }) => id);
  return {
    ...{ key: String(made.id), store: String(store.id), file: String(file.id), content },
    ...{ request: String(requests[0]?.id), upstreams },
    ...{ operator: String(operator.id), token: String(token.id) },
    secrets: [made.key, hook.secret, token.token].map(String),
    task: String(task?.task ?? "0123456789abcdef"),
  };
}

const AUTO = { dial: 0.3 };

async function operations({ service }: Scene): Promise<readonly Described[]> {
  const document = await (await fetch(`${service.adminUrl}/openapi.json`)).json();
  const described: Described[] = [];
  for (const [path, methods] of Object.entries<Record<string, unknown>>(document.paths)) {
    if (!path.startsWith("/admin/v1/")) continue;
    for (const [method, operation] of Object.entries(methods)) {
      const { requestBody } = Object(operation);
      const content = Object(requestBody?.content)["application/json"];
      described.push({ method, path: path.slice("/admin/v1".length), example: content?.example });
    }
  }
  assert(described.length > 50);
  return described;
}
