/**
 * What may be asked of the playground.
 *
 * @module
 */

import { z } from "zod";
import { ORCHESTRATION_CHOICES } from "../../domain/orchestration/mode.ts";
import { strict } from "../fields.ts";

/** `POST /playground`. */
export const playgroundCall = strict({
  wallet: z.string().meta({ description: "Id of the wallet that pays" }),
  endpoint: z.enum(["chat", "responses", "images.generations"]),
  body: z.record(z.string(), z.unknown()).meta({
    description: "The request as an application would send it",
  }),
  orchestration: z.enum(ORCHESTRATION_CHOICES).optional(),
});

/** `DELETE /playground`. */
export const playgroundEndAnswer = z.strictObject({
  revoked: z.int().min(0).meta({ description: "Keys that were revoked" }),
}).meta({ id: "PlaygroundEnd" });
