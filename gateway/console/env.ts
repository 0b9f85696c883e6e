import type { Context } from "@hono/hono";
import type { Session } from "../flows/operators/sessions.ts";
import type { Language } from "./messages/catalogue.ts";
import type { Theme } from "./theme.ts";

/** Facts of a request that the admin listener passes to the console. */
export interface ConsoleBindings {
  /** Address of the peer; `undefined` where it is unknown. */
  readonly remoteAddress: string | undefined;
  /** The id that the answer carries as `X-Request-ID`. */
  readonly requestId: string;
}

/** An application that answers requests of the console. */
export interface Answering {
  fetch(request: Request, bindings: ConsoleBindings): Response | Promise<Response>;
}

/** Values that middleware sets for any page. */
export interface ReaderEnv {
  Bindings: ConsoleBindings;
  Variables: {
    language: Language;
    theme: Theme;
  };
}

/** Values that middleware sets for the pages of operators. */
export interface ConsoleEnv extends ReaderEnv {
  Variables: ReaderEnv["Variables"] & {
    /** Set behind the sign-in. */
    session: Session;
  };
}

/** One request of the console. */
export type ConsoleContext = Context<ConsoleEnv>;
