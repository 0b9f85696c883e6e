/** A tool of an application; its input has to be typed without annotations. */

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
