import type { Child } from "@hono/hono/jsx";
import type { AnswerOf, Target } from "../admin_api/operations.ts";
import type { UncheckedArguments } from "../admin_api/call.ts";
import type { Actor } from "../domain/operators/operator.ts";
import type { Right } from "../domain/operators/roles.ts";
import type { ApiAnswer, ConsoleApi } from "./api.ts";
import type { ScriptName } from "./assets.ts";
import type { Catalogue, Language } from "./messages/catalogue.ts";
import type { Theme } from "./theme.ts";

/** One request, as the parts of any page see it. */
export interface Reading {
  /** Path below which the pages are: `/console`, or `/me` for the holder of a key. */
  readonly base: "/console" | "/me";
  readonly language: Language;
  readonly theme: Theme;
  /** The address that was asked for. */
  readonly url: URL;
  /** Its query. */
  readonly query: URLSearchParams;
  readonly nowMs: number;
  readonly requestId: string;
  /** A segment of the address that the page's path names; empty where it names none of that name. */
  param(name: string): string;
  /** Messages in the reader's language. */
  say<Messages>(messages: Catalogue<Messages>): Messages;
}

/** One request, as a page of the operator's console sees it. */
export interface View extends Reading {
  /** The reader, with the rights of this moment; absent before the sign-in. */
  readonly actor: Actor | undefined;
  /** Ends when the reader leaves, for what streams. */
  readonly signal: AbortSignal;
  /** All that is known and done: the operator's API. */
  readonly api: ConsoleApi;
  /** Returns the value of an answer; a refusal ends the page, which then shows it. */
  need<T>(answer: ApiAnswer<T>): T;
  /** Calls an operation of the API for a value that the page needs, as {@linkcode View.need} does. */
  load<Name extends Target>(
    target: Name,
    ...args: UncheckedArguments<Name>
  ): Promise<AnswerOf<Name>>;
}

/** Properties of a component that is shown for one request. */
export type InView<Props> = Readonly<Props> & { readonly view: View };
/** Properties of a component that the pages of key holders show as well. */
export type InReading<Props> = Readonly<Props> & { readonly view: Reading };

/** The content of a page. */
export interface Shown {
  readonly title: string;
  readonly body: Child;
  /** Status of the answer, such as 422 for a form with errors. @default {200} */
  readonly status?: number;
  /** Scripts that this page needs beside those of every page. @default {none} */
  readonly scripts?: readonly ScriptName[];
}

/** After a change: go to another page, which says once what was done. */
export interface GoTo {
  /** A path below `/console`. */
  readonly goTo: string;
  /** Said once, on the page that is shown next. */
  readonly done: string;
}

/**
 * The result of a change: another page, or a page to show at once (the form again, a secret shown
 * once).
 */
export type Outcome = GoTo | Shown;

/** A page of the console. */
export interface Page {
  /** Below `/console`, in Hono's words: `/wallets/:id`. */
  readonly path: string;
  /** Answers GET. */
  show(view: View): Promise<Shown> | Shown;
  /** Answers POST of a form on this page; the request is known to come from this console. */
  change?(view: View, form: URLSearchParams): Promise<Outcome> | Outcome;
}

/** An address for scripts: JSON, events or a file instead of a page. */
export interface Feed {
  /** Below `/console`, in Hono's words. */
  readonly path: string;
  readonly method: "GET" | "POST";
  /**
   * Answers the request; without a session the answer is 401. A POST is known to come from this
   * console.
   */
  answer(view: View, request: Request): Promise<Response> | Response;
}

/** An entry of the navigation, with the pages under it. One without pages is not shown. */
export interface Section {
  /** Name in the navigation. */
  readonly title: Catalogue<string>;
  /** Path that the navigation links to; the first page's path has to answer it. */
  readonly path: string;
  /** The navigation shows the section to actors with this right alone. @default {to all} */
  readonly right?: Right;
  readonly pages: readonly Page[];
  /** @default {none} */
  readonly feeds?: readonly Feed[];
}
