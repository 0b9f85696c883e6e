import * as ui from "../../components/mod.ts";
import type { Child } from "@hono/hono/jsx";
import type { InView } from "../../page.ts";
import type { LogLine } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** Lines of the request log, newest first; each leads to its request. */
export function LogTable({ view, rows, empty, caption }: InView<{
  rows: readonly LogLine[];
  empty: Child;
  caption: string;
}>) {
  const say = view.say(keyMessages);
  return (
    <ui.DataTable<LogLine>
      view={view}
      caption={caption}
      rows={rows}
      cursor={null}
      href={({ id }) => `/console/requests/${encodeURIComponent(id)}`}
      columns={[
        ui.column(say.request, ({ requestId }) => requestId, { isHeader: true }),
        ui.column(say.time, ({ at }) => <ui.Time at={at} />),
        ui.column(say.model, ({ model }) => model ?? "–"),
        ui.column(
          say.status,
          ({ status, outcome, errorCode }) => (
            <ui.Badge kind={outcome === "ok" ? "good" : status >= 500 ? "bad" : "warn"}>
              {errorCode === null ? String(status) : `${status} ${errorCode}`}
            </ui.Badge>
          ),
        ),
        ui.endColumn(say.tokens, ({ inputTokens, outputTokens }) => (
          <span class="number">
            {`${ui.countText(inputTokens)} / ${ui.countText(outputTokens)}`}
          </span>
        )),
        ui.endColumn(say.charged, ({ charged }) => <ui.Credits amount={charged} />),
      ]}
      empty={empty}
    />
  );
}
