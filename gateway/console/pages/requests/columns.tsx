import * as ui from "../../components/mod.ts";
import type { Reading } from "../../page.ts";
import type { OwnSummary, Summary } from "./answer.ts";
import type { KnownKeys } from "./known_keys.ts";
import { requestMessages } from "./messages.ts";
import { OutcomeBadge } from "./outcome.tsx";
import { nameOf } from "./outcome_messages.ts";

/** Characters of a secret that tell keys of one name apart; the rest is in the title. */
const HINT_CHARS = 6;

/** Returns the address of a request's page. */
export function hrefOf({ id }: OwnSummary): string {
  return `/console/requests/${encodeURIComponent(id)}`;
}

/** When it ended, which is what requests are ordered by: what the API tells is when it began. */
export function endOf({ at, durationMs }: Pick<Summary, "at" | "durationMs">): string {
  return new Date(Date.parse(at) + durationMs).toISOString();
}

/** Returns the columns of the list and of the live view. */
export function columnsOf(view: Reading, keys: KnownKeys): readonly ui.Column<Summary>[] {
  const say = view.say(requestMessages);
  const key = ui.column<Summary>(say.key, ({ key }) => <KeyName keys={keys} id={key} />);
  return [...endingColumns(view), key, ...modelColumns(view), ...amountColumns(view)];
}

/** Returns the columns of the list of one key's requests. */
export function ownColumnsOf(view: Reading): readonly ui.Column<OwnSummary>[] {
  return [...endingColumns(view), ...modelColumns(view), ...amountColumns(view)];
}

function endingColumns(view: Reading): readonly ui.Column<OwnSummary>[] {
  const say = view.say(requestMessages);
  const { language, nowMs } = view;
  return [
    ui.column(say.request, ({ requestId }) => <ui.ShortId id={requestId} />, {
      isHeader: true,
      beside: ({ requestId }) => (
        <ui.CopyButton view={view} text={requestId} what={say.requestId} />
      ),
    }),
    ui.column(
      say.at,
      (row) => <ui.RelativeTime at={endOf(row)} nowMs={nowMs} language={language} />,
      { apiOrder: { field: "order", ascending: "oldest" } },
    ),
    ui.column(say.outcome, ({ outcome, status, errorCode }) => (
      <>
        <OutcomeBadge view={view} outcome={outcome} status={status} />
        {errorCode !== null && <span class="row-note" title={errorCode}>{status} {errorCode}</span>}
      </>
    )),
  ];
}

function modelColumns(view: Reading): readonly ui.Column<OwnSummary>[] {
  const say = view.say(requestMessages);
  return [
    ui.column(
      say.model,
      ({ model }) => model === null ? <span class="muted">–</span> : <Name text={model} />,
    ),
    ui.column(say.endpoint, ({ endpoint, stream }) => (
      <span class="row-note">
        {nameOf(say.endpoints, endpoint)}
        {stream ? `, ${say.streamed}` : ""}
      </span>
    )),
  ];
}

function amountColumns(view: Reading): readonly ui.Column<OwnSummary>[] {
  const say = view.say(requestMessages);
  return [
    ui.endColumn(
      say.tokens,
      ({ inputTokens, outputTokens }) => (
        <span class="number" title={say.tokensHint}>
          {ui.countText(inputTokens)} → {ui.countText(outputTokens)}
        </span>
      ),
    ),
    ui.endColumn(say.duration, ({ durationMs }) => <ui.Duration ms={durationMs} />),
    ui.endColumn(say.charged, ({ charged }) => <ui.Credits amount={charged} />),
  ];
}

/** A key's name, with its secret's beginning where others have the same name. */
function KeyName({ keys, id }: { keys: KnownKeys; id: string }) {
  const hint = keys.hintOf(id);
  if (hint === undefined) return <Name text={keys.nameOf(id)} />;
  const secret = hint.slice(hint.lastIndexOf("_") + 1);
  return (
    <span class="key-name" title={keys.textOf(id)}>
      <span class="name">{keys.nameOf(id)}</span>
      <span class="row-note">{secret.slice(0, HINT_CHARS)}</span>
    </span>
  );
}

/** A name in little room; the whole of it is in the title. */
function Name({ text }: { text: string }) {
  return <span class="name" title={text}>{text}</span>;
}
