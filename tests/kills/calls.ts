/**
 * Calls of a client, and how much of each answer it received: all, part or nothing.
 *
 * @module
 */

import { OneTimeBody } from "../../gateway/upstreams/openai_compatible/one_time_body.ts";
import { promptOf, type Script, wordsIn } from "./script.ts";

/** The plan of a call. `leave`: the client disconnects in the middle of the stream. */
export interface CallPlan {
  readonly endpoint: "chat" | "responses" | "images";
  readonly stream: boolean;
  readonly leave: boolean;
  readonly script: Script;
}

/** The address, key and id of a call. */
export interface CallSite {
  readonly url: string;
  readonly secret: string;
  /** Id of the request, used once. */
  readonly requestId: string;
}

/**
 * The end of a call for its client. `complete`: the whole answer; `answered`: a refusal of the
 * gateway; `cut`: broke off; `left`: ended by the client; `unanswered`: sent, without a byte of an
 * answer; `refused`: no process accepted the connection.
 */
export type Ending = "complete" | "answered" | "cut" | "left" | "unanswered" | "refused";

/** The part of one call that its client received. */
export interface Sighting {
  readonly requestId: string;
  readonly ending: Ending;
  readonly status: number;
  /** Number of words received. */
  readonly words: number;
  /** Charge on the bill in credits, if the bill was received. */
  readonly charged?: string | undefined;
}

const PATHS = { chat: "chat/completions", responses: "responses", images: "images/generations" };
/** Requested output, in tokens: more than any script takes. */
const OUTPUT_LIMIT = 2_500;

/** Returns the path and body of a call. */
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

/** Makes one call. Never throws for failures of the service. */
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
      // Deno itself repeats a text body when a kept connection breaks.
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

/** Returns the sighting of an answer that was received completely. */
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
  // A body that broke off cannot be parsed.
  if (!stream) return text.endsWith("}") ? wordsIn(JSON.parse(text).choices[0].message.content) : 0;
  let received = "";
  // The last piece is an incomplete frame, or empty.
  for (const frame of text.split("\n\n").slice(0, -1)) {
    const data = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (data === undefined) continue;
    const event = JSON.parse(data);
    if (endpoint === "chat") received += event.choices?.[0]?.delta?.content ?? "";
    else if (event.type === "response.output_text.delta") received += event.delta;
  }
  return wordsIn(received);
}
