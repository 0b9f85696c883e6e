/**
 * Server-sent events as OpenAI's streams use them: data lines and comments.
 *
 * @module
 */

/** The event that ends a complete stream. */
export const SSE_DONE = "data: [DONE]\n\n";

/** A comment that keeps proxies and clients from closing a silent stream. */
export const SSE_KEEP_ALIVE = ": keep-alive\n\n";

/** Returns one event. JSON with line breaks takes one data line each, as the format demands. */
export function sseEvent(json: string): string {
  return json.includes("\n") ? `data: ${json.replace(/\r?\n/g, "\ndata: ")}\n\n` : sseLine(json);
}

/** Returns one event of a JSON text without line breaks. */
export function sseLine(json: string): string {
  return `data: ${json}\n\n`;
}
