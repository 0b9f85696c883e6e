import type { IncomingMessage } from "node:http";

const BODILESS: readonly number[] = [204, 205, 304];

/** Returns the status and the headers of a response of `node:http`. Throws as `Headers` does. */
export function messageHead(message: IncomingMessage): Pick<Response, "status" | "headers"> {
  const { rawHeaders, statusCode: status = 0 } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return { status, headers };
}

/**
 * Returns a response of `node:http` as `fetch` would. Throws a `TypeError` or `RangeError` where it
 * can be none.
 */
export function messageResponse(message: IncomingMessage): Response {
  const head = messageHead(message);
  if (!BODILESS.includes(head.status)) return new Response(ReadableStream.from(message), head);
  message.resume();
  return new Response(null, head);
}
