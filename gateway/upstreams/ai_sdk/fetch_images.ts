import { type FetchImage, isUnreadable } from "../../ports/fetch_image.ts";
import type { Notes } from "./notes.ts";

/** Maximum number of images of a request that the gateway fetches for a provider. */
export const MAX_FETCHED_IMAGES = 16;

/**
 * Fetches the images that the provider takes as bytes only. A failed fetch is a refusal in the
 * notes. Rejects when the signal is aborted.
 */
export async function fetchImages(
  notes: Notes,
  fetchImage: FetchImage | undefined,
  signal: AbortSignal,
): Promise<void> {
  const [first] = notes.images;
  if (first === undefined) return;
  if (fetchImage === undefined || notes.images.length > MAX_FETCHED_IMAGES) {
    const most = fetchImage === undefined ? "no" : `at most ${MAX_FETCHED_IMAGES}`;
    notes.refuse(first.path, `This model's provider takes ${most} images by http(s) address`);
    return;
  }
  await Promise.all(notes.images.map(async ({ part, path, url }) => {
    const file = await fetchImage(url, signal);
    if (isUnreadable(file)) {
      notes.refuse(path, `Cannot accept the image: ${file.problem}`);
      return;
    }
    part.mediaType = file.mediaType.startsWith("image/") ? file.mediaType : "image/*";
    part.data = { type: "data", data: file.bytes };
  }));
}
