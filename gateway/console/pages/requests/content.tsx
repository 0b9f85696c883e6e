import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import type { Detail } from "./answer.ts";
import { requestPageMessages } from "./request_messages.ts";

/** The logged prompt and answer, folded and marked; a hint where content logging was off. */
export function Content({ view, content }: InView<{ content: Detail["content"] }>) {
  const say = view.say(requestPageMessages);
  if (content === null) return <p class="hint">{say.notLogged}</p>;
  return (
    <ui.Panel title={say.content}>
      <p>
        <ui.Badge kind="warn">{say.contentBadge}</ui.Badge> {say.contentMark}
      </p>
      {content.isCut && <p class="hint">{say.contentCut}</p>}
      {([["prompt", content.prompt], ["answer", content.answer]] as const).map(([name, text]) => (
        <details class="said">
          <summary>{say[name]}</summary>
          <pre tabindex={0} role="region" aria-label={say[name]}>{ui.shownText(text)}</pre>
        </details>
      ))}
    </ui.Panel>
  );
}
