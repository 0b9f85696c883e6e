import * as ui from "../../components/mod.ts";
import type { Feed, View } from "../../page.ts";
import { readForm } from "../../read_form.ts";
import { policyOf } from "./policy_form.ts";
import { type PreviewAnswer, PreviewResult } from "./reach.tsx";

/** Path below `/console` from which a script fetches the preview of a policy. */
export const PREVIEW_FEED = "/feeds/keys/preview";

/** Asks the API what the policy of a form would leave; `narrows` is the key that it is to narrow. */
export async function previewOf(view: View, fields: URLSearchParams): Promise<PreviewAnswer> {
  const narrows = fields.get("narrows");
  return await view.api.call("POST /keys/preview", {
    body: {
      policy: policyOf(fields),
      ...narrows === null ? { wallet: fields.get("wallet") ?? "" } : { narrows },
    },
  });
}

/** The preview of a policy as a piece of a page, equal to the one that the page has without scripts. */
export const previewFeed: Feed = {
  path: PREVIEW_FEED,
  method: "POST",
  async answer(view, request) {
    const preview = await previewOf(view, await readForm(request));
    const piece = await (<PreviewResult view={view} preview={preview} />).toString();
    return new Response(ui.shownMarkup(piece), {
      headers: { "content-type": "text/html; charset=utf-8" },
    });
  },
};
