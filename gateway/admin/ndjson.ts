/**
 * Answers of JSON lines that are produced while they are read.
 *
 * @module
 */

import { LINES_TYPE } from "../admin_api/operation.ts";
import { faultOf } from "../http/error_response.ts";
import type { AdminContext, AdminDeps } from "./deps.ts";
import { logFault } from "./log_fault.ts";

const encoder = new TextEncoder();

// Escapes are lossless in JSON, and neither a terminal nor a reader of lines acts on them.
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/** Returns a value as a line; characters that could control a terminal are escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(UNPRINTABLE, escapesOf) + "\n";
}

function escapesOf(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * Returns an answer of lines, produced as fast as the client reads; an empty text is a step of work
 * without a line. A failure becomes a last line with `error`. When the client disconnects, the work
 * ends at its next step.
 */
export function ndjson(
  context: AdminContext,
  deps: Pick<AdminDeps, "logger">,
  texts: AsyncGenerator<string, void>,
): Response {
  const requestId = context.get("requestId");
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        let step = await texts.next();
        while (!isCancelled && !step.done && step.value === "") step = await texts.next();
        if (isCancelled) return;
        if (step.done) controller.close();
        else controller.enqueue(encoder.encode(step.value));
      } catch (error) {
        const fault = faultOf(error);
        logFault(deps.logger, fault, requestId);
        if (isCancelled) return;
        controller.enqueue(encoder.encode(jsonLine(fault.envelope(requestId))));
        controller.close();
      }
    },
    async cancel() {
      isCancelled = true;
      await texts.return();
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": LINES_TYPE } });
}
