import type { OwnAnswer } from "../admin_api/key_holder.ts";
import * as ui from "../console/components/mod.ts";
import type { InReading } from "../console/page.ts";
import { Books } from "../console/pages/requests/books.tsx";
import { endOf } from "../console/pages/requests/columns.tsx";
import { requestMessages } from "../console/pages/requests/messages.ts";
import { nameOf } from "../console/pages/requests/outcome_messages.ts";
import { Plan } from "../console/pages/requests/plan.tsx";
import { Ending, RequestFigures, tagsText } from "../console/pages/requests/request.tsx";
import { requestPageMessages } from "../console/pages/requests/request_messages.ts";
import { Timeline } from "../console/pages/requests/timeline.tsx";
import { ServiceFault } from "../domain/fault.ts";
import { ownMessages } from "./messages.ts";
import { BASE, type HolderPage, type HolderView } from "./view.ts";

type OwnRequest = OwnAnswer<"request">;

/** One request of the key: how it ended, its route and its bill; never its text. */
export async function requestPage(view: HolderView): Promise<HolderPage> {
  const id = view.param("id");
  let request: OwnRequest;
  try {
    request = await view.records.request(view.session.key, id);
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error;
    if (error.code === "not_found") return notFound(view);
    throw error;
  }
  const say = view.say(requestPageMessages);
  return {
    title: say.title(request.requestId),
    body: (
      <>
        <p class="back">
          <a href={`${BASE}/requests`}>← {say.back}</a>
        </p>
        <ui.PageHead
          title={<code class="id">{request.requestId}</code>}
          intro={<ui.Time at={request.at} />}
        />
        <Ending view={view} detail={request} />
        <RequestFigures view={view} detail={request} />
        <Summary view={view} request={request} />
        {request.tasks !== null && <Plan view={view} tasks={request.tasks} />}
        <Timeline view={view} detail={request} />
        <Books view={view} detail={request} />
      </>
    ),
  };
}

/** Most likely one that goes on still: rows are written when requests end. */
function notFound(view: HolderView): HolderPage {
  const say = view.say(ownMessages);
  return {
    title: say.notFound,
    status: 404,
    body: (
      <>
        <ui.PageHead
          title={say.notFound}
          intro={<code class="id">{view.param("id")}</code>}
        />
        <ui.EmptyState title={say.notFound} hint={say.notFoundHint}>
          <a class="button" href={`${BASE}/requests`}>{view.say(requestPageMessages).back}</a>
        </ui.EmptyState>
      </>
    ),
  };
}

function Summary({ view, request }: InReading<{ request: OwnRequest }>) {
  const say = view.say(requestPageMessages);
  const { routing, endpoint, model, provider, id, at } = request;
  const names = view.say(requestMessages).endpoints;
  const began = <ui.Time at={at} />;
  const ended = <ui.Time at={endOf(request)} />;
  const row = <code>{id}</code>;
  const reason = routing === null ? say.noRouting : <span lang="en">{routing.reason}</span>;
  return (
    <ui.Panel title={say.summary}>
      <ui.DefinitionList
        items={[
          [say.model, model],
          [say.provider, provider],
          [say.tier, routing?.tier ?? null],
          [say.reason, reason],
          [say.endpoint, nameOf(names, endpoint)],
          [say.user, request.user],
          [say.safetyIdentifier, request.safetyIdentifier],
          [say.tags, tagsText(request.tags)],
          [say.beganOn, began],
          [say.ended, ended],
          [say.rowId, row],
        ]}
      />
    </ui.Panel>
  );
}
