import type { Feed, View } from "../../page.ts";
import { readForm } from "../../read_form.ts";
import { callOf, type PlaygroundCall } from "./call.ts";
import { playgroundMessages } from "./messages.ts";

/** Calls the gateway through the operator's API; the call ends when the reader leaves the page. */
export function callGateway(view: View, call: PlaygroundCall): Promise<Response> {
  return view.api.ask("/playground", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(call),
    signal: view.signal,
  });
}

/** The gateway's own answer, streamed as it comes; `X-Request-ID` names it. */
export const playgroundFeed: Feed = {
  path: "/feeds/playground",
  method: "POST",
  async answer(view, request) {
    const call = callOf(await readForm(request), { stream: true });
    if ("problem" in call) {
      const message = view.say(playgroundMessages)[call.problem];
      return Response.json({ error: { code: "invalid_request", message } }, { status: 422 });
    }
    const answer = await callGateway(view, call);
    return new Response(answer.body, {
      status: answer.status,
      headers: {
        "content-type": answer.headers.get("content-type") ?? "application/json",
        "x-request-id": view.requestId,
      },
    });
  },
};
