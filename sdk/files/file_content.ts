import type { ContentAnswer } from "../transport.ts";

/**
 * The content of a file. It is read once: as a stream, as bytes or as text. Errors of the call are
 * those of reading: a connection that breaks, and the call's time limit and signal, which hold until
 * the end. Read it, or cancel `body`: either ends the call.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   // Stands in for the service.
 *   fetch: () => Promise.resolve(new Response(new Uint8Array([35, 32, 65]))),
 * });
 * const content = await client.files.content("file_1");
 * assertEquals(await content.text(), "# A");
 * ```
 */
export class FileContent {
  /** Id to quote to the operator; absent when the answer has none. */
  readonly requestId: string | undefined;
  /** The bytes as they come. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;

  /** Used by the client. */
  constructor({ answer, body }: ContentAnswer) {
    this.requestId = answer.response.headers.get("x-request-id") ?? undefined;
    this.body = body;
  }

  /** Reads all bytes. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(this.body).arrayBuffer());
  }

  /** Reads all bytes as UTF-8. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }
}
