import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { walletList } from "./list.tsx";

/** Prepaid credit, and what it is spent on. */
export const wallets: Section = {
  title: catalogue("Wallets", { zh: "钱包" }),
  path: "/wallets",
  pages: [walletList],
};
