/**
 * Description of a listener: `GET /openapi.json` and `GET /reference`. The code that generates it
 * is loaded with the first request for it.
 *
 * @module
 */

import { eTag, ifNoneMatch } from "@std/http/etag";
import type { ListenerDescription } from "../http/routes/description.ts";
import type { Listener } from "./document.ts";

/** The generated description: the document, and the page with a placeholder for the base URL. */
interface Generated {
  readonly document: Entity;
  readonly page: string;
}

interface Entity {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Placeholder in the page for the base URL, which each request may change. Occurs in no text. */
const ADDRESS = "\u{F0000}";

/** The description changes only with a release; a proxy revalidates it after a minute. */
const CACHE_CONTROL = "public, max-age=60";

/** The page has neither scripts nor external resources, and its style is allowed by its digest. */
const PAGE_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const encoder = new TextEncoder();

/** Generates the description of a listener once, on demand. */
export class Description implements ListenerDescription {
  readonly #listener: Listener;
  #generated: Promise<Generated> | undefined;
  #styleDigest = "";

  /** Generates nothing yet. */
  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Returns the document, or 304 for a client that has it. */
  async document(request: Request): Promise<Response> {
    const { document } = await this.#load();
    return answer(request, document, { "content-type": "application/json" });
  }

  /** Returns the page; `address` is the base URL of the service, without a slash at its end. */
  async page(request: Request, address: string): Promise<Response> {
    const { page } = await this.#load();
    return answer(request, await entityOf(page.replaceAll(ADDRESS, escapedAddress(address))), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src '${this.#styleDigest}'; ` +
        PAGE_POLICY,
      "referrer-policy": "no-referrer",
    });
  }

  async #load(): Promise<Generated> {
    // A failure, as for lack of memory, is not kept.
    return await (this.#generated ??= this.#generate().catch((error) => {
      this.#generated = undefined;
      throw error;
    }));
  }

  async #generate(): Promise<Generated> {
    const [{ documentOf }, { pageStyle, referencePage }] = await Promise.all([
      import("./document.ts"),
      import("./reference_page.ts"),
    ]);
    const document = documentOf(this.#listener);
    const digest = await crypto.subtle.digest("SHA-256", encoder.encode(pageStyle));
    this.#styleDigest = `sha256-${new Uint8Array(digest).toBase64()}`;
    return {
      document: await entityOf(JSON.stringify(document)),
      page: referencePage(document, ADDRESS),
    };
  }
}

/** Removes characters that no address has, since the page contains it. */
function escapedAddress(address: string): string {
  return address.replaceAll(/[^A-Za-z0-9.:/_~[\]-]/g, "");
}

async function entityOf(text: string): Promise<Entity> {
  const bytes = encoder.encode(text);
  return { bytes, etag: await eTag(bytes) ?? "" };
}

function answer(
  request: Request,
  { bytes, etag }: Entity,
  headers: Readonly<Record<string, string>>,
): Response {
  const cacheHeaders = { etag, "cache-control": CACHE_CONTROL };
  if (!ifNoneMatch(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers: cacheHeaders });
  }
  return new Response(bytes, {
    headers: { ...cacheHeaders, ...headers, "x-content-type-options": "nosniff" },
  });
}
