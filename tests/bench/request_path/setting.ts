/**
 * The setting of a comparison: the machine it runs on, and a key as an application has it.
 *
 * @module
 */

/** Limits that no measurement reaches: an application's key has some, and they cost time. */
const LIMITS = {
  requestsPerMinute: 100_000_000,
  tokensPerMinute: 1_000_000_000_000,
  concurrentRequests: 10_000,
  budget: { month: "1000000" },
  maxChargePerRequest: "1000",
};

/** Creates a key with limits, as an application has. */
export async function createLimitedKey(
  adminUrl: string,
  { token }: { readonly token: string },
): Promise<string> {
  const response = await fetch(`${adminUrl}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "limited", wallet: "default", policy: LIMITS }),
  });
  const created: { key?: string } = await response.json();
  if (created.key === undefined) throw new Error(`Cannot go on: ${JSON.stringify(created)}`);
  return created.key;
}

/** Returns a line about the machine and what else it does: figures are of no use without it. */
export async function machineLine(): Promise<string> {
  const { stdout } = await new Deno.Command("uptime").output();
  const load = /load average: (.*)/.exec(new TextDecoder().decode(stdout))?.[1] ?? "not shown";
  return `Deno ${Deno.version.deno}, ${Deno.build.target}, ` +
    `${navigator.hardwareConcurrency} processors, load average before: ${load}`;
}
