/**
 * Images of tool results, which follow them in a message of the user: in most formats a result is
 * text.
 *
 * @module
 */

import type { ToolImage } from "@svc/tools/tool";

/** Returns the text before the images of a result. */
export function attachedTo(callId: string): string {
  return `Attached to the result of ${callId}:`;
}

/** Returns the address of an image that is sent with the request. */
export function imageAddress({ data, mediaType }: ToolImage): string {
  return `data:${mediaType};base64,${data}`;
}
