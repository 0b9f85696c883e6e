import { Credits } from "../../components/credits.tsx";
import type { Column } from "../../components/data_table.tsx";
import { Duration } from "../../components/measures.tsx";
import { countText } from "../../components/measures_text.ts";
import { Time } from "../../components/time.tsx";
import type { View } from "../../page.ts";
import type { Summary } from "./answer.ts";
import type { KnownKeys } from "./known_keys.ts";
import { requestMessages } from "./messages.ts";
import { OutcomeBadge } from "./outcome.tsx";
import { nameOf } from "./outcome_messages.ts";

/** Where a row leads. */
export function hrefOf({ id }: Summary): string {
  return `/console/requests/${encodeURIComponent(id)}`;
}

/** When it ended, which is what requests are ordered by: what the API tells is when it began. */
export function endOf({ at, durationMs }: Pick<Summary, "at" | "durationMs">): string {
  return new Date(Date.parse(at) + durationMs).toISOString();
}

/** What the list and the live view show of a request. */
export function columnsOf(
  view: View,
  keys: KnownKeys,
): readonly Column<Summary>[] {
  return [...whatColumns(view, keys), ...amountColumns(view)];
}

function whatColumns(
  view: View,
  keys: KnownKeys,
): readonly Column<Summary>[] {
  const say = view.say(requestMessages);
  return [
    {
      id: "request",
      title: say.request,
      isHeader: true,
      cell: ({ requestId }) => <code class="id">{requestId}</code>,
    },
    {
      id: "outcome",
      title: say.outcome,
      cell: ({ outcome, status, errorCode }) => (
        <>
          <OutcomeBadge view={view} outcome={outcome} status={status} />
          {errorCode === null ? null : <span class="second">{status} {errorCode}</span>}
        </>
      ),
    },
    {
      id: "at",
      title: say.at,
      cell: (row) => <Time at={endOf(row)} />,
      apiOrder: { field: "order", ascending: "oldest" },
    },
    {
      id: "key",
      title: say.key,
      cell: ({ key }) => {
        const hint = keys.hintOf(key);
        return (
          <>
            <Name text={keys.nameOf(key)} />
            {hint === undefined ? null : <span class="second">{hint}</span>}
          </>
        );
      },
    },
    {
      id: "model",
      title: say.model,
      cell: ({ model, endpoint, stream }) => (
        <>
          {model === null ? <span class="muted">–</span> : <Name text={model} />}
          <span class="second">
            {nameOf(say.endpoints, endpoint)}
            {stream ? `, ${say.streamed}` : ""}
          </span>
        </>
      ),
    },
  ];
}

function amountColumns(view: View): readonly Column<Summary>[] {
  const say = view.say(requestMessages);
  return [
    {
      id: "tokens",
      title: say.tokens,
      align: "end",
      cell: ({ inputTokens, outputTokens }) => (
        <span class="number" title={say.tokensHint}>
          {countText(inputTokens)} → {countText(outputTokens)}
        </span>
      ),
    },
    {
      id: "duration",
      title: say.duration,
      align: "end",
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
    },
    {
      id: "charged",
      title: say.charged,
      align: "end",
      cell: ({ charged }) => <Credits amount={charged} />,
    },
  ];
}

/** A name in little room; the whole of it is in the title. */
function Name({ text }: { text: string }) {
  return <span class="name" title={text}>{text}</span>;
}
