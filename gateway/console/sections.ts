import type { Section } from "./page.ts";
import { catalog } from "./pages/catalog/section.ts";
import { keys } from "./pages/keys/section.ts";
import { overview } from "./pages/overview/section.ts";
import { playground } from "./pages/playground/section.ts";
import { requests } from "./pages/requests/section.ts";
import { upstreams } from "./pages/upstreams/section.ts";
import { wallets } from "./pages/wallets/section.ts";

/** The console, as its navigation has it. The first one with pages is where it begins. */
export const SECTIONS: readonly Section[] = [
  overview,
  requests,
  keys,
  wallets,
  catalog,
  upstreams,
  playground,
];
