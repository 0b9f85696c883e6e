import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { outcomeMessages } from "../requests/outcome_messages.ts";
import { type Answer, attemptsText } from "./answer.ts";
import { playgroundMessages } from "./messages.ts";

/**
 * The result of a call. Without an answer the panel is hidden: the script fills it in while the answer
 * streams, by the names in `data-`.
 */
export function AnswerPanel({ view, answer }: InView<{ answer: Answer | undefined }>) {
  const say = view.say(playgroundMessages);
  const { error, text = "", images = [] } = answer ?? {};
  const hint = Object.entries(say.hints).find(([code]) => code === error?.code)?.[1];
  return (
    <div
      class="playground-answer"
      data-answer
      data-words={JSON.stringify(words(view))}
      hidden={answer === undefined}
    >
      <ui.Panel
        title={say.answer}
        actions={
          <span class="hint" role="status" data-state>
            {answer === undefined ? "" : error === undefined ? say.states.done : say.states.failed}
          </span>
        }
      >
        <div class="notice notice-problem" role="alert" data-error hidden={error === undefined}>
          <p data-error-text>{ui.shownText(error?.message ?? "")}</p>
          <p data-error-hint>{hint ?? say.anyHint}</p>
        </div>
        <div class="tasks" data-tasks></div>
        <div class="said" data-text>{text}</div>
        <div class="drawn" data-images>
          {images.map((image) => (
            <img key={image} src={`data:image/png;base64,${image}`} alt={say.drawn} />
          ))}
        </div>
      </ui.Panel>
      <BillPanel view={view} answer={answer} />
    </div>
  );
}

function BillPanel({ view, answer }: InView<{ answer: Answer | undefined }>) {
  const { bill, fields, estimated } = view.say(playgroundMessages);
  const { routing, billing } = answer?.metadata ?? {};
  const charged = billing?.estimated ? `${billing.charged} (${estimated})` : billing?.charged;
  const values: Readonly<Record<keyof typeof fields, string | undefined>> = {
    model: routing?.model ?? undefined,
    provider: routing?.provider ?? undefined,
    tier: routing?.tier ?? undefined,
    charged,
    input: billing?.input_tokens?.toLocaleString("en-US"),
    output: billing?.output_tokens?.toLocaleString("en-US"),
    reason: routing?.reason ?? undefined,
    attempts: attemptsText(answer?.metadata, view.say(outcomeMessages).attempts),
    request: undefined,
  };
  const field = (name: keyof typeof fields) => (
    <div>
      <dt>{fields[name]}</dt>
      <dd data-field={name}>{ui.shownText(values[name] || "–")}</dd>
    </div>
  );
  return (
    <ui.Panel title={bill}>
      <dl class="definitions">
        {(["model", "provider", "tier", "charged", "input", "output"] as const).map(field)}
      </dl>
      <dl class="definitions wide-terms">
        {(["reason", "attempts"] as const).map(field)}
        <div>
          <dt>{fields.request}</dt>
          <dd>
            <a
              data-request
              href={`/console/requests/${encodeURIComponent(answer?.requestId ?? "")}`}
            >
              {answer?.requestId ?? "–"}
            </a>
          </dd>
        </div>
      </dl>
    </ui.Panel>
  );
}

/** Messages that the script shows. */
const SCRIPT_MESSAGES = [
  ...(["states", "hints", "anyHint", "left", "stop"] as const),
  ...(["drawn", "firstText", "whole", "estimated"] as const),
];

/** Returns the script's messages in the reader's language. */
function words(view: View) {
  const say = view.say(playgroundMessages);
  const messages = Object.fromEntries(SCRIPT_MESSAGES.map((name) => [name, say[name]]));
  return { ...messages, outcomes: view.say(outcomeMessages).attempts };
}
