import type { FetchImage, MediaFile, Unreadable } from "../ports/fetch_image.ts";
import { readBytesUpTo } from "../system/bounded_body.ts";
import { decompressBody } from "../system/decompress_body.ts";
import { MAX_IMAGE_BYTES } from "./edit_images.ts";
import { imageTypeOf } from "./image_file.ts";

/** Loads its code with the first image: the platform's `node:http` takes some megabytes. */
const guardedFetch: FetchImage = async (url, signal) => {
  const { createGuardedFetch } = await import("../guarded_fetch/mod.ts");
  return await createGuardedFetch()(url, signal);
};

/**
 * Returns a fetch for the addresses in an upstream's answer: from the upstream's own origin, which
 * may be in a private network since the operator configured it; else from public addresses only.
 * Redirects of the upstream's server are not followed.
 */
export function fetchDrawnFrom(
  baseUrl: string | undefined,
  elsewhere: FetchImage = guardedFetch,
): FetchImage {
  const origin = baseUrl === undefined ? undefined : URL.parse(baseUrl)?.origin;
  return (url, signal) =>
    origin !== undefined && URL.parse(url)?.origin === origin
      ? fetchOwn(url, signal)
      : elsewhere(url, signal);
}

async function fetchOwn(url: string, signal: AbortSignal): Promise<MediaFile | Unreadable> {
  try {
    const headers = { "accept-encoding": "identity" };
    const response = decompressBody(await fetch(url, { redirect: "manual", headers, signal }));
    if (response.status !== 200) {
      await response.body?.cancel();
      return { problem: `its server answers with status ${response.status}` };
    }
    const bytes = await readBytesUpTo(response, MAX_IMAGE_BYTES);
    if (bytes === undefined) return { problem: `it is larger than ${MAX_IMAGE_BYTES} bytes` };
    return { mediaType: imageTypeOf(bytes) ?? "", bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error) return { problem: "it could not be fetched" };
    throw error;
  }
}
