import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { contentLog } from "./content_log.tsx";
import { createKey } from "./create.tsx";
import { keyList } from "./list.tsx";
import { narrowKey } from "./narrow.tsx";
import { previewFeed } from "./preview.tsx";
import { revokeKey } from "./revoke.tsx";
import { rotateKey } from "./rotate.tsx";
import { showKey } from "./show.tsx";

/** Keys of applications, their policies and their rotation. */
export const keys: Section = {
  title: catalogue(["Keys", "密钥"]),
  path: "/keys",
  pages: [keyList, createKey, narrowKey, rotateKey, revokeKey, contentLog, showKey],
  feeds: [previewFeed],
};
