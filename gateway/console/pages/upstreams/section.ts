import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { upstreamEdit, upstreamNew } from "./edit.tsx";
import { upstreamList } from "./list.tsx";
import { upstreamPage } from "./upstream.tsx";

/** Providers, and how they are. */
export const upstreams: Section = {
  title: catalogue(["Upstreams", "上游"]),
  path: "/upstreams",
  pages: [upstreamList, upstreamPage, upstreamEdit, upstreamNew],
};
