/** A tool as applications write it; its input has to be typed as it stands. */

import { assertType, type IsExact } from "@std/testing/types";
import { tool } from "./mod.ts";

export const weather = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  },
  execute: ({ city, days }) => {
    assertType<IsExact<typeof city, string>>(true);
    assertType<IsExact<typeof days, number | undefined>>(true);
    return `Rain in ${city}`;
  },
});
