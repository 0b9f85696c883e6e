import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";

/** Where requests go, and how well that works. */
export const upstreams: Section = {
  title: catalogue("Upstreams", { zh: "上游" }),
  path: "/upstreams",
  pages: [],
};
