import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";

/** Models, prices and tiers. */
export const catalog: Section = {
  title: catalogue("Catalog", { zh: "目录" }),
  path: "/catalog",
  pages: [],
};
