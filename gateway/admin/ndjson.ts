/**
 * Answers that are made while they are read: one JSON value a line.
 *
 * @module
 */

import { LINES_TYPE } from "../admin_api/operation.ts";
import { faultOf } from "../http/error_response.ts";
import type { AdminContext, AdminDeps } from "./deps.ts";
import { logFault } from "./log_fault.ts";

const encoder = new TextEncoder();

// Lossless in JSON, and a terminal or a reader of lines takes them for what they are: text.
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/** A value as a line. Characters that could steer a terminal are written as escapes. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(UNPRINTABLE, escapesOf) + "\n";
}

function escapesOf(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * An answer of lines, asked for as fast as the client reads; empty texts are steps of work that have
 * nothing to tell. A failure on the way becomes a last line with `error`. A client that leaves ends
 * the work at its next step.
 */
export function ndjson(
  context: AdminContext,
  deps: Pick<AdminDeps, "logger">,
  texts: AsyncGenerator<string, void>,
): Response {
  const requestId = context.get("requestId");
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        let step = await texts.next();
        while (!isLeft && !step.done && step.value === "") step = await texts.next();
        if (isLeft) return;
        if (step.done) controller.close();
        else controller.enqueue(encoder.encode(step.value));
      } catch (error) {
        const fault = faultOf(error);
        logFault(deps.logger, fault, requestId);
        if (isLeft) return;
        controller.enqueue(encoder.encode(jsonLine(fault.envelope(requestId))));
        controller.close();
      }
    },
    async cancel() {
      isLeft = true;
      await texts.return();
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": LINES_TYPE } });
}
