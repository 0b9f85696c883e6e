import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { overviewPage } from "./overview.tsx";

/** Requests, spend, errors and latency over a chosen time. */
export const overview: Section = {
  title: catalogue(["Overview", "概览"]),
  path: "/overview",
  pages: [overviewPage],
};
