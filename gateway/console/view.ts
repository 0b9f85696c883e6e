import { type ApiAnswer, type ConsoleApi, createConsoleApi, type Refusal } from "./api.ts";
import type { ConsoleContext } from "./env.ts";
import type { ConsoleParts } from "../admin/deps.ts";
import { sharedMessages } from "./messages/shared.ts";
import type { View } from "./page.ts";

/** A refusal of the API that leaves a page with nothing to show but itself. */
export class RefusedPage extends Error {
  override name = "RefusedPage";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** For a form that asks for nothing that its page does: none of the console's pages sends one. */
export function unreadForm({ say }: View): RefusedPage {
  const { badForm: message } = say(sharedMessages);
  return new RefusedPage({ status: 400, code: "invalid_request", message, param: "do" });
}

/** A request as pages see it. */
export function viewOf(
  context: ConsoleContext,
  { api, clock }: Pick<ConsoleParts, "api" | "clock">,
): View {
  const { requestId } = context.env;
  const url = new URL(context.req.url);
  // An error may come before the reader's choices have been read.
  const language = context.get("language") ?? "en";
  const { actor } = context.get("session") ?? {};
  const calling = { requestId, remoteAddress: context.env.remoteAddress, actor };
  const consoleApi: ConsoleApi = createConsoleApi(api, calling);
  const need = <T>(answer: ApiAnswer<T>): T => {
    if (answer.ok) return answer.value;
    throw new RefusedPage(answer.refusal);
  };
  return {
    base: "/console",
    language,
    theme: context.get("theme") ?? "auto",
    url,
    query: url.searchParams,
    nowMs: clock.nowMs(),
    requestId,
    actor,
    signal: context.req.raw.signal,
    api: consoleApi,
    param: (name) => context.req.param(name) ?? "",
    say: (messages) => messages[language],
    need,
    load: async (target, ...args) => need(await consoleApi.call(target, ...args)),
  };
}
