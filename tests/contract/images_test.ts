/**
 * The contract of image calls over the registry: each kind that draws against its recorded answers.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { PROVIDERS } from "../../gateway/upstreams/providers/provider_kinds.ts";
import { RECORDED } from "../fixtures/upstreams/recordings.ts";
import { imageContract } from "./image_contract.ts";
import { openingOf } from "./staged_case.ts";

for (const { images, kind, settings } of RECORDED) {
  if (images !== undefined) imageContract(kind, { ...images, open: openingOf(kind, settings) });
}

Deno.test("there are recorded images of each provider kind that draws", () => {
  const drawing = PROVIDERS.filter(({ draws, protocol }) => draws && protocol.name !== "simulator");
  const recorded = RECORDED.filter(({ images }) => images !== undefined);
  assertEquals(recorded.map(({ kind }) => kind), drawing.map(({ kind }) => kind));
});
