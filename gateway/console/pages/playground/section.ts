import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { playgroundPage } from "./page.tsx";
import { playgroundFeed } from "./send.ts";

/** Calls to try out. */
export const playground: Section = {
  title: catalogue(["Playground", "试验场"]),
  path: "/playground",
  pages: [playgroundPage],
  feeds: [playgroundFeed],
};
