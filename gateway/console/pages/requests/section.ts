import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { requestList } from "./list.tsx";
import { requestFile } from "./request_file.ts";
import { requestPage } from "./request.tsx";
import { tailFeed } from "./tail_feed.tsx";

/** Every request, and how each came to its answer and its price. */
export const requests: Section = {
  title: catalogue(["Requests", "请求"]),
  path: "/requests",
  pages: [requestList, requestPage],
  feeds: [tailFeed, requestFile],
};
