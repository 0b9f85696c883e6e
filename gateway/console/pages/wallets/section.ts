import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { createWallet } from "./create.tsx";
import { creditWallet } from "./credit.tsx";
import { walletList } from "./list.tsx";
import { showWallet } from "./show.tsx";
import { statementFile } from "./statement_file.ts";

/** Prepaid credit, and what it is spent on. */
export const wallets: Section = {
  title: catalogue(["Wallets", "钱包"]),
  path: "/wallets",
  pages: [walletList, createWallet, creditWallet, showWallet],
  feeds: [statementFile],
};
