import * as ui from "../../components/mod.ts";
import type { Child } from "@hono/hono/jsx";
import type { InView } from "../../page.ts";
import type { LogLine } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** Lines of the request log, newest first; each leads to its request. */
export function LogTable(
  { view, rows, empty, caption }: InView<
    { rows: readonly LogLine[]; empty: Child; caption: string }
  >,
) {
  const say = view.say(keyMessages);
  return (
    <ui.DataTable
      view={view}
      caption={caption}
      rows={rows}
      cursor={null}
      href={({ id }) => `/console/requests/${encodeURIComponent(id)}`}
      columns={[
        { id: "request", title: say.request, isHeader: true, cell: ({ requestId }) => requestId },
        { id: "at", title: say.time, cell: ({ at }) => <ui.Time at={at} /> },
        { id: "model", title: say.model, cell: ({ model }) => model ?? "–" },
        {
          id: "status",
          title: say.status,
          cell: ({ status, outcome, errorCode }) => (
            <ui.Badge kind={outcome === "ok" ? "good" : status >= 500 ? "bad" : "warn"}>
              {errorCode === null ? String(status) : `${status} ${errorCode}`}
            </ui.Badge>
          ),
        },
        {
          id: "tokens",
          title: say.tokens,
          align: "end",
          cell: ({ inputTokens, outputTokens }) => (
            <span class="number">
              {`${ui.countText(inputTokens)} / ${ui.countText(outputTokens)}`}
            </span>
          ),
        },
        {
          id: "charged",
          title: say.charged,
          align: "end",
          cell: ({ charged }) => <ui.Credits amount={charged} />,
        },
      ]}
      empty={empty}
    />
  );
}
