/**
 * A listener's description of itself, `GET /openapi.json` and `GET /reference`. What makes it is
 * loaded with the first request for it.
 *
 * @module
 */

import { eTag, ifNoneMatch } from "@std/http/etag";
import type { ListenerDescription } from "../http/routes/description.ts";
import type { Listener } from "./document.ts";

/** What was made: the bytes of the document, and the page but for the address of the service. */
interface Made {
  readonly document: Entity;
  readonly page: string;
}

interface Entity {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Stands in the page for the address, which the request tells. No text may have it. */
const ADDRESS = "\u{F0000}";

/** It changes with a release only; and a proxy that keeps it asks again after a minute. */
const CACHE_CONTROL = "public, max-age=60";

/** The page has neither scripts nor anything from elsewhere, and its style by its digest alone. */
const PAGE_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const encoder = new TextEncoder();

/** Makes and keeps the description of a listener. */
export class Description implements ListenerDescription {
  readonly #listener: Listener;
  #made: Promise<Made> | undefined;
  #styleDigest = "";

  /** Makes nothing yet. */
  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** The document, or 304 for who has it. */
  async document(request: Request): Promise<Response> {
    const { document } = await this.#load();
    return answer(request, document, { "content-type": "application/json" });
  }

  /** The page; `address`: where the service is called, without a slash at its end. */
  async page(request: Request, address: string): Promise<Response> {
    const { page } = await this.#load();
    return answer(request, await entityOf(page.replaceAll(ADDRESS, escapedAddress(address))), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src '${this.#styleDigest}'; ` +
        PAGE_POLICY,
      "referrer-policy": "no-referrer",
    });
  }

  async #load(): Promise<Made> {
    // A failure, as of memory, is not kept.
    return await (this.#made ??= this.#make().catch((error) => {
      this.#made = undefined;
      throw error;
    }));
  }

  async #make(): Promise<Made> {
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

/** Nothing of an address but what one is made of: it stands in a page. */
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
  const kept = { etag, "cache-control": CACHE_CONTROL };
  if (!ifNoneMatch(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers: kept });
  }
  return new Response(bytes, {
    headers: { ...kept, ...headers, "x-content-type-options": "nosniff" },
  });
}
