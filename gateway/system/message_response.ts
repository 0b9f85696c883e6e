import type { IncomingMessage } from "node:http";

const BODILESS: readonly number[] = [204, 205, 304];
/** The highest status that a response can have. */
const STATUS_MAX = 599;

/** Returns the status and the headers of a response of `node:http`. Throws as `Headers` does. */
export function messageHead(message: IncomingMessage): Pick<Response, "status" | "headers"> {
  const { rawHeaders, statusCode: status = 0 } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return { status, headers };
}

/** Returns a response of `node:http` as `fetch` would. A status that none can have becomes 599. */
export function messageResponse(message: IncomingMessage): Response {
  const { headers, ...head } = messageHead(message);
  const status = Math.min(head.status, STATUS_MAX);
  if (!BODILESS.includes(status)) {
    return new Response(ReadableStream.from(message), { status, headers });
  }
  message.resume();
  return new Response(null, { status, headers });
}
