/**
 * The contract of upstreams over the registry: each provider kind against its recorded answers.
 *
 * @module
 */

import { RECORDED } from "../fixtures/upstreams/recordings.ts";
import { openingOf } from "./staged_case.ts";
import { upstreamContract } from "./upstream_contract.ts";

for (const { kind, model = "real-model", settings, variants = {}, wire } of RECORDED) {
  upstreamContract(kind, { wire, open: openingOf(kind, settings), model });
  for (const [name, more] of Object.entries(variants)) {
    const open = openingOf(kind, { ...settings, ...more });
    upstreamContract(`${kind}, ${name}`, { wire, open, model });
  }
}
