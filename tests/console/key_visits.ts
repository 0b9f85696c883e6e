/**
 * Keys and wallets as an operator has them after a month, and the pages on which they show.
 *
 * @module
 */

import { publicIdFrom } from "../../gateway/flows/keys/new_secret.ts";
import type { TestService } from "../fixtures/service.ts";
import type { Visit } from "./visit.ts";

/** The id of a key that was made under an operation's id. */
function keyOf(opId: string): string {
  return `key_${publicIdFrom(`key ${opId}`)}`;
}

const SHOP = keyOf("shop");
/** Names that are as long as they may be, and have no place to break. */
const LONG = keyOf("long");
const LONG_WALLET = "w".repeat(64);

/** Pages of keys and wallets; those after the first need what it prepares. */
export const KEY_VISITS: readonly Visit[] = [
  { name: "keys", path: "/keys", prepare: someKeys },
  { name: "keys_none_found", path: "/keys?name=nobody" },
  { name: "key_new", path: "/keys/new?wallet=webshop" },
  { name: "key", path: `/keys/${SHOP}` },
  { name: "key_narrow", path: `/keys/${SHOP}/narrow` },
  { name: "key_revoke", path: `/keys/${SHOP}/revoke` },
  { name: "rotation_copy", path: `/keys/${SHOP}/rotate` },
  { name: "rotation_verify", path: `/keys/${keyOf("support")}/rotate` },
  { name: "rotation_disable", path: `/keys/${keyOf("batch")}/rotate` },
  { name: "rotation_revoke", path: `/keys/${keyOf("search")}/rotate` },
  { name: "rotation_done", path: `/keys/${keyOf("old")}/rotate` },
  { name: "wallet", path: "/wallets/webshop" },
  { name: "wallet_entries", path: "/wallets/webshop?kind=credit" },
  { name: "wallet_low", path: "/wallets/pilot" },
  { name: "wallet_new", path: "/wallets/-/new" },
  { name: "wallet_credit", path: "/wallets/webshop/credit" },
  { name: "key_long", path: `/keys/${LONG}` },
  { name: "key_long_revoke", path: `/keys/${LONG}/revoke` },
  { name: "key_long_new", path: `/keys/new?wallet=${LONG_WALLET}` },
  { name: "wallet_long", path: `/wallets/${LONG_WALLET}` },
];

const SHOP_POLICY = {
  endpoints: ["chat", "responses"],
  hostedTools: ["web_search_preview"],
  maxChargePerRequest: "25",
  budget: { day: "40", month: "20000" },
  requestsPerMinute: 600,
  tokensPerMinute: 400_000,
  ipRanges: ["203.0.113.0/24", "127.0.0.0/8", "2001:db8::/32"],
  expiresAt: "2027-06-30T22:00:00Z",
  orchestration: { mode: "auto", stream: "final" },
};

async function someKeys(service: TestService): Promise<void> {
  const post = (path: string, body: unknown = {}) => service.admin("POST", path, body);
  for (const [id, credits] of [["webshop", "18500"], ["pilot", "1"]]) {
    await post("/wallets", { id, credits });
  }
  await post("/wallets/webshop/credit", { credits: "2500", note: "Invoice 2026-1187" });
  await post("/wallets/pilot/low-balance", { below: "500" });
  const make = async (opId: string, name: string, policy: unknown = {}, wallet = "webshop") => {
    const { key } = await post("/keys", { name, wallet, policy, opId });
    return String(key);
  };
  await post("/wallets", { id: LONG_WALLET, credits: "999999999.123456" });
  await post(`/wallets/${LONG_WALLET}/credit`, { credits: "1", note: "n".repeat(500) });
  await make("long", "N".repeat(100), { industryPacks: ["p".repeat(100)] }, LONG_WALLET);
  const shop = await make("shop", "Web shop, production", SHOP_POLICY);
  const batch = await make("batch", "Nightly product texts", { budget: { total: "9000" } });
  await make("support", "Support assistant", { models: ["svc/sim-small"], requestsPerMinute: 120 });
  const search = await make("search", "Site search", { concurrentRequests: 8 });
  await make("old", "Web shop, 2025");
  await make("pilot", "学校试点", { expiresAt: "2026-01-31T00:00:00Z" }, "pilot");
  await make("odd", '<b>Ops</b> & "quotes"', { hostedTools: [] }, "pilot");
  const call = async (key: string, content: string) => {
    const messages = [{ role: "user", content }];
    await (await service.chat({ messages }, { key })).body?.cancel();
  };
  for (const question of ["Where is my order?", "Compare two lamps", "Write a short text"]) {
    await call(shop, question);
  }
  await (await service.chat("{", { key: shop })).body?.cancel();
  await call(batch, "A text on lamps");
  await call(search, "desk lamp, brass");
  const copy = async (opId: string) => {
    const made = await post(`/keys/${keyOf(opId)}/rotate`, { opId: `${opId}-2` });
    return String(made.key);
  };
  await copy("support");
  await call(await copy("batch"), "Say OK");
  await call(await copy("search"), "Say OK");
  await call(await copy("old"), "Say OK");
  await post(`/keys/${keyOf("search")}/disable`);
  await post(`/keys/${keyOf("old")}/revoke`);
  await service.quiet();
}
