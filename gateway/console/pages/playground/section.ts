import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";

/** Trying a model, with its route and its bill. */
export const playground: Section = {
  title: catalogue("Playground", { zh: "试验场" }),
  path: "/playground",
  pages: [],
};
