/**
 * Calls as a client makes them, and what it saw of each: to the end, in part, or not at all.
 *
 * @module
 */

import { OneTimeBody } from "../../gateway/upstreams/openai_compatible/one_time_body.ts";
import { promptOf, type Script, wordsIn } from "./script.ts";

/** What a client asks for. `leave`: it goes away in the middle of the stream. */
export interface CallPlan {
  readonly endpoint: "chat" | "responses" | "images";
  readonly stream: boolean;
  readonly leave: boolean;
  readonly script: Script;
}

/** Where and as whom. */
export interface CallSite {
  readonly url: string;
  readonly secret: string;
  /** Never used twice. */
  readonly requestId: string;
}

/**
 * How a call ended for its client. `complete`: the whole answer; `answered`: a refusal of the gateway's
 * own; `cut`: broke off; `left`: by the client; `unanswered`: sent, and not a byte came back; `refused`:
 * there was nobody to take the connection.
 */
export type Ending = "complete" | "answered" | "cut" | "left" | "unanswered" | "refused";

/** What a client saw of one call. */
export interface Sighting {
  readonly requestId: string;
  readonly ending: Ending;
  readonly status: number;
  /** Words received. */
  readonly words: number;
  /** Credits by the bill, where that was seen. */
  readonly charged?: string | undefined;
}

const PATHS = { chat: "chat/completions", responses: "responses", images: "images/generations" };
/** Output that is asked for, in tokens: more than any script takes. */
const OUTPUT_LIMIT = 2_500;

/** Path and body of a call. */
export function requestOf({ endpoint, stream, script }: CallPlan): { path: string; body: string } {
  const prompt = promptOf(script);
  const fields = endpoint === "chat"
    ? { messages: [{ role: "user", content: prompt }], stream, max_tokens: OUTPUT_LIMIT }
    : endpoint === "responses"
    ? { input: prompt, stream, max_output_tokens: OUTPUT_LIMIT }
    : { prompt };
  const body = JSON.stringify({ model: "auto", ...fields });
  return { path: `/openai/v1/${PATHS[endpoint]}`, body };
}

/** Makes one call. Never throws for what the service does. */
export async function makeCall(plan: CallPlan, site: CallSite): Promise<Sighting> {
  const { requestId } = site;
  const leaving = new AbortController();
  let status = 0;
  let text = "";
  try {
    const { path, body } = requestOf(plan);
    const response = await fetch(site.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${site.secret}`,
        "x-request-id": requestId,
      },
      // Deno repeats a text by itself where a kept connection breaks.
      body: new OneTimeBody(body),
      signal: leaving.signal,
    });
    status = response.status;
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (plan.leave && wordsSeen(text, plan) > 2) leaving.abort();
    }
  } catch (error) {
    const ending = leaving.signal.aborted ? "left" : status > 0 ? "cut" : unsent(error);
    return { requestId, ending, status, ...seenOf(text, plan) };
  }
  return sightingOf({ requestId, status, text }, plan);
}

/** What an answer that came to its end was. */
export function sightingOf(
  answer: { readonly requestId: string; readonly status: number; readonly text: string },
  plan: CallPlan,
): Sighting {
  const { requestId, status, text } = answer;
  if (status >= 400) return { requestId, ending: "answered", status, words: 0 };
  const isWhole = !plan.stream || text.endsWith("data: [DONE]\n\n") ||
    text.includes("event: response.completed\n") || text.includes("event: response.incomplete\n");
  return { requestId, ending: isWhole ? "complete" : "cut", status, ...seenOf(text, plan) };
}

function unsent(error: unknown): Ending {
  const cause = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
  return /connection refused/i.test(cause) ? "refused" : "unanswered";
}

function seenOf(text: string, plan: CallPlan): Pick<Sighting, "words" | "charged"> {
  const charged = /"charged":"([\d.]+)"/.exec(text)?.[1];
  return { words: wordsSeen(text, plan), ...(charged === undefined ? {} : { charged }) };
}

function wordsSeen(text: string, { endpoint, stream }: CallPlan): number {
  if (endpoint === "images") return 0;
  // Of a body that broke off nobody can make anything.
  if (!stream) return text.endsWith("}") ? wordsIn(JSON.parse(text).choices[0].message.content) : 0;
  let said = "";
  // The last piece is a frame that is not whole, or nothing.
  for (const frame of text.split("\n\n").slice(0, -1)) {
    const data = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (data === undefined) continue;
    const event = JSON.parse(data);
    if (endpoint === "chat") said += event.choices?.[0]?.delta?.content ?? "";
    else if (event.type === "response.output_text.delta") said += event.delta;
  }
  return wordsIn(said);
}
