import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";

/** Who may call, how much and what. */
export const keys: Section = {
  title: catalogue("Keys", { zh: "密钥" }),
  path: "/keys",
  pages: [],
};
