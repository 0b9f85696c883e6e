import * as ui from "../../components/mod.ts";
import type { Feed, View } from "../../page.ts";
import { readForm } from "../../read_form.ts";
import { policyOf } from "./policy_form.ts";
import { type PreviewAnswer, PreviewResult } from "./reach.tsx";

/** Where a script asks for what the form of a policy leaves, below `/console`. */
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

/** What a form of a policy leaves, as a piece of the page: the same that the page has without scripts. */
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
