import * as ui from "../../components/mod.ts";
import type { Shown, View } from "../../page.ts";
import type { NewKey } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** A page that shows a new key, the only one that does, with examples of calls. */
export async function secretShown(
  view: View,
  newKey: NewKey,
  { title, next }: { title: string; next: { href: string; text: string } },
): Promise<Shown> {
  const say = view.say(keyMessages);
  const { publicUrl } = await view.load("GET /service");
  const url = publicUrl ?? "http://127.0.0.1:8787";
  const examples = [
    [say.store, "read -rs SERVICE_API_KEY && export SERVICE_API_KEY"],
    [say.curl, curlLines(url)],
    [say.sdk, sdkLines(url)],
    [say.openai, openaiLines(url)],
  ] as const;
  return {
    title,
    body: (
      <>
        <ui.PageHead title={title} intro={newKey.name}>
          <a class="button primary" href={next.href}>{next.text}</a>
        </ui.PageHead>
        <div class="panel">
          <ui.Notice kind="info">{say.once}</ui.Notice>
          <ui.CopyText view={view} label={say.theKey} text={newKey.key} />
        </div>
        <ui.Panel title={say.tryIt}>
          <p class="hint">{say.tryHint}</p>
          {examples.map(([name, text]) => (
            <div>
              <h3>{name}</h3>
              <ui.CopyText view={view} label={name} text={text} />
            </div>
          ))}
        </ui.Panel>
      </>
    ),
  };
}

function curlLines(url: string): string {
  return `curl -s ${url}/openai/v1/chat/completions \\
  -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "auto", "messages": [{"role": "user", "content": "Say hello"}]}'`;
}

function sdkLines(url: string): string {
  return `import { ServiceClient } from "@svc/sdk";

const client = new ServiceClient({ apiBaseUrl: "${url}" }); // reads SERVICE_API_KEY
const answer = await client.chat.completions.create({
  messages: [{ role: "user", content: "Say hello" }],
});
console.log(answer.choices[0]?.message.content, answer.metadata?.billing);`;
}

function openaiLines(url: string): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${url}/openai/v1", api_key=os.environ["SERVICE_API_KEY"])
answer = client.chat.completions.create(
    model="auto", messages=[{"role": "user", "content": "Say hello"}]
)
print(answer.choices[0].message.content)`;
}
