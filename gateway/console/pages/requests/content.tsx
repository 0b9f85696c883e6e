import { Panel } from "../../components/panel.tsx";
import { Badge } from "../../components/badge.tsx";
import { shownText } from "../../components/shown_text.ts";
import type { InView } from "../../page.ts";
import type { Detail } from "./answer.ts";
import { requestPageMessages } from "./request_messages.ts";

/** What was said, where the operator has it logged: folded up, and marked as that. */
export function Content({ view, content }: InView<{ content: Detail["content"] }>) {
  const say = view.say(requestPageMessages);
  if (content === null) return <p class="hint">{say.notLogged}</p>;
  return (
    <Panel title={say.content}>
      <p>
        <Badge kind="warn">{say.contentBadge}</Badge> {say.contentMark}
      </p>
      {content.isCut && <p class="hint">{say.contentCut}</p>}
      {([["prompt", content.prompt], ["answer", content.answer]] as const).map(([name, text]) => (
        <details class="said">
          <summary>{say[name]}</summary>
          <pre tabindex={0} role="region" aria-label={say[name]}>{shownText(text)}</pre>
        </details>
      ))}
    </Panel>
  );
}
