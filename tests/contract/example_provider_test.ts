/**
 * The example of `docs/adding-a-provider.md`: its provider keeps the contract of upstreams, and the
 * page shows the code that does.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { systemClock } from "../../gateway/system/clock.ts";
import { AiSdkUpstream } from "../../gateway/upstreams/ai_sdk/mod.ts";
import { LUMEN } from "../fixtures/lumen/lumen.ts";
import { RECORDINGS } from "../fixtures/lumen/recordings.ts";
import { type OpenUpstream, TIMEOUTS } from "./staged_case.ts";
import { upstreamContract } from "./upstream_contract.ts";

const open: OpenUpstream = (baseUrl, settings, { clock = systemClock, fetchImage } = {}) =>
  new AiSdkUpstream({
    id: "lab",
    kind: LUMEN.kind,
    provider: "lab",
    baseUrl,
    apiKey: "sk-operator-0123456789",
    maxInFlight: 20,
    onDisconnect: "cancel",
    timeouts: TIMEOUTS,
    ...settings,
  }, { clock, env: () => undefined, fetchImage, provider: LUMEN });

upstreamContract("lumen", { ...RECORDINGS, open });

/** Code without the folders of its imports, and without the line breaks that depend on them. */
function comparable(code: string): string {
  return code.replaceAll(/from "[^"]*\/([^"/]+)"/g, 'from "$1"')
    .replaceAll(/\s+/g, "").replaceAll(/,(?=[}\])])/g, "");
}

Deno.test("docs/adding-a-provider.md shows the tested example", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/adding-a-provider.md", import.meta.url));
  const blocks = [...page.matchAll(/^```ts ignore\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  for (const file of ["lumen.ts", "recordings.ts"]) {
    const code = await Deno.readTextFile(new URL(`../fixtures/lumen/${file}`, import.meta.url));
    const shown = blocks.map(comparable);
    assertEquals(shown.includes(comparable(code)), true, `The page does not show ${file}`);
  }
});
