import { z } from "zod";
import { configSchema } from "./schema.ts";

/** Returns the JSON Schema of the configuration file, for editors. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(configSchema, { io: "input" }) };
}
