import type { Context } from "@hono/hono";
import type { Child } from "@hono/hono/jsx";
import type { ScriptName } from "../console/assets.ts";
import type { ReaderEnv } from "../console/env.ts";
import type { Reading } from "../console/page.ts";
import type { HolderSession } from "../flows/keys/holder_access.ts";
import type { OwnRecords } from "../key_holder/own_records.ts";

/** Path of the pages. */
export const BASE = "/me";

/** Values that middleware sets for the pages. */
export interface KeyPageEnv extends ReaderEnv {
  Variables: ReaderEnv["Variables"] & {
    /** Set behind the sign-in. */
    session: HolderSession;
  };
}

/** One request for a page. */
export type KeyPageContext = Context<KeyPageEnv>;

/** One request, as a page for somebody who has signed in sees it. */
export interface HolderView extends Reading {
  readonly session: HolderSession;
  readonly records: OwnRecords;
  /** Ends when the reader leaves. */
  readonly signal: AbortSignal;
}

/** The content of a page. */
export interface HolderPage {
  readonly title: string;
  readonly body: Child;
  /** @default {200} */
  readonly status?: number;
  /** @default {none} */
  readonly scripts?: readonly ScriptName[];
}

/** Returns a request as components see it. */
export function readingOf(context: KeyPageContext, nowMs: number): Reading {
  const url = new URL(context.req.url);
  // An error may come before the reader's choices have been read.
  const language = context.get("language") ?? "en";
  return {
    base: BASE,
    language,
    theme: context.get("theme") ?? "auto",
    ...{ url, query: url.searchParams, nowMs },
    requestId: context.env.requestId,
    param: (name) => context.req.param(name) ?? "",
    say: (messages) => messages[language],
  };
}
