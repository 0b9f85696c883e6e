import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import { requestMessages } from "./messages.ts";

/** Says that there are no requests, with a call to paste that makes one. */
export async function FirstCall({ view, title, hint }: InView<{ title: string; hint: string }>) {
  const service = await view.api.call("GET /service");
  const base = (service.ok ? service.value.publicUrl : null) ?? "http://127.0.0.1:8787";
  const call = `curl ${base}/openai/v1/chat/completions \\
  -H "Authorization: Bearer $SERVICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "auto", "messages": [{"role": "user", "content": "Hello"}]}'`;
  return (
    <ui.EmptyState title={title} hint={hint}>
      <ui.CopyText view={view} label={view.say(requestMessages).call} text={call} />
    </ui.EmptyState>
  );
}
