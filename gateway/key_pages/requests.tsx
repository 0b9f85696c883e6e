import { strict } from "../admin_api/fields.ts";
import { KEY_HOLDER_OPERATIONS, type OwnQuery } from "../admin_api/key_holder.ts";
import { queryFields } from "../admin_api/query_fields.ts";
import * as ui from "../console/components/mod.ts";
import { rangeMessages } from "../console/messages/range.ts";
import type { InReading } from "../console/page.ts";
import { ownColumnsOf } from "../console/pages/requests/columns.tsx";
import { requestMessages } from "../console/pages/requests/messages.ts";
import { validate } from "../http/validation.ts";
import { ownMessages } from "./messages.ts";
import { BASE, type HolderPage, type HolderView } from "./view.ts";

/** Conditions that go to the search under the name that they have in the address. */
const CONDITIONS = ["q", "model", "outcome", "endpoint", "status", "tag", "user"];

/** The requests of the key, to search. */
export async function requestsPage(view: HolderView): Promise<HolderPage> {
  const say = view.say(ownMessages);
  const query = queryOf(view);
  const { requests, cursor } = await view.records.requests(view.session.key, query);
  const isNarrowed = [...CONDITIONS, "range"].some((name) => ui.filterText(view, name) !== "");
  const list = view.say(requestMessages);
  const empty = isNarrowed
    ? <ui.EmptyState title={list.noneFound} hint={list.noneFoundHint} />
    : <ui.EmptyState title={say.noRequests} hint={say.noRequestsHint} />;
  return {
    title: say.sections.requests,
    scripts: ["range.js"],
    body: (
      <>
        <ui.PageHead title={say.sections.requests} intro={say.requestsIntro} />
        <div class="request-filter">
          <Filter view={view} />
        </div>
        <div class="requests-list stack">
          <ui.DataTable
            view={view}
            caption={say.sections.requests}
            rows={requests}
            cursor={cursor}
            isCut={cursor !== null && requests.length < ui.ROWS_PER_PAGE}
            href={({ id }) => `${BASE}/requests/${encodeURIComponent(id)}`}
            columns={ownColumnsOf(view)}
            empty={empty}
          />
        </div>
      </>
    ),
  };
}

/** Returns the query of the page as the search has it; throws where a condition is malformed. */
function queryOf(view: HolderView): OwnQuery<"requests"> {
  const wanted = ui.queryFields(view, [...CONDITIONS, "order", "cursor"]);
  const { sinceMs, untilMs } = ui.readRange(view, "any");
  if (sinceMs !== undefined) wanted.set("since", new Date(sinceMs).toISOString());
  if (untilMs !== undefined) wanted.set("until", new Date(untilMs).toISOString());
  wanted.set("limit", String(ui.ROWS_PER_PAGE));
  const fields = KEY_HOLDER_OPERATIONS.requests.query(queryFields(view.nowMs));
  return validate(strict(fields), Object.fromEntries(wanted));
}

function Filter({ view }: InReading<Record<never, never>>) {
  const say = view.say(requestMessages);
  const range = view.say(rangeMessages);
  const spans = ui.SPANS.map((span) => [span, range.last[span]] as const);
  const select = ui.filterSelects(view);
  return (
    <ui.FilterForm view={view}>
      <ui.FilterText view={view} name="q" label={say.search} />
      <ui.FilterText view={view} name="model" label={say.model} />
      {select("outcome", say.outcome, {
        all: say.anyOutcome,
        options: Object.entries(say.outcomes),
      })}
      {select("endpoint", say.endpoint, {
        all: say.anyEndpoint,
        options: Object.entries(say.endpoints),
      })}
      <ui.FilterText view={view} name="status" label={`${say.status} (429, 5xx)`} />
      <ui.FilterText view={view} name="tag" label={say.tag} />
      <ui.FilterText view={view} name="user" label={say.user} />
      {select("range", range.time, { all: range.any, options: [...spans, ["own", range.own]] })}
      <ui.OwnRange view={view} />
    </ui.FilterForm>
  );
}
