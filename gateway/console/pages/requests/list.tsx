import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { columnsOf, hrefOf } from "./columns.tsx";
import { type Choices, conditions, RequestFilter } from "./filter.tsx";
import { FirstCall } from "./first_call.tsx";
import { type CalledKeys, keyDirectory } from "./known_keys.ts";
import { requestMessages } from "./messages.ts";
import { requestFileHref } from "./request_file.ts";
import { Tail, TailButton } from "./tail.tsx";

/** Keys of one name that are offered to choose from. */
const KEYS_OFFERED_MAX = 50;

/** Requests, to search and to follow live. */
export const requestList: Page = { path: "/requests", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(requestMessages);
  const [keys, models] = await Promise.all([keyDirectory(view), view.load("GET /models")]);
  const choices: Choices = { keys: keys.all, models: models.models.map(({ id }) => id) };
  const frame = (body: Child) => (
    <>
      <ui.PageHead title={say.title} intro={say.intro}>
        <a class="button" href={requestFileHref(view)} download>{say.csv}</a>
        <TailButton view={view} />
      </ui.PageHead>
      <div class="request-filter">
        <RequestFilter view={view} choices={choices} />
      </div>
      {body}
    </>
  );
  const wanted = conditions(view);
  const called = await keys.called(wanted.get("key") ?? "");
  if (called.keys.length > 1 || !called.isComplete) {
    const body = frame(<WhichKey view={view} called={called} />);
    return { title: say.title, scripts: ["range.js"], body };
  }
  const [key] = called.keys;
  if (key !== undefined) wanted.set("key", key.id);
  const answer = await view.api.call("GET /requests", { query: pageOf(view, wanted) });
  if (!answer.ok) {
    const { message, status } = answer.refusal;
    const problem = <ui.Notice kind="problem">{message}</ui.Notice>;
    return { title: say.title, scripts: ["range.js"], body: frame(problem), status };
  }
  const { requests, cursor } = answer.value;
  const columns = columnsOf(view, await keys.of(requests));
  return {
    title: say.title,
    scripts: ["range.js", "tail.js"],
    body: frame(
      <>
        <Tail view={view} conditions={wanted} columns={columns} />
        <div class="requests-list stack">
          <ui.DataTable
            view={view}
            caption={say.title}
            rows={requests}
            cursor={cursor}
            isCut={cursor !== null && requests.length < ui.ROWS_PER_PAGE}
            href={hrefOf}
            columns={columns}
            empty={<Nothing view={view} isNarrowed={wanted.size > 0} />}
          />
        </div>
      </>,
    ),
  };
}

/** The conditions with the place and the order of the page. */
function pageOf(view: View, conditions: URLSearchParams): URLSearchParams {
  const place = ui.queryFields(view, ["order", "cursor"]);
  return new URLSearchParams([...conditions, ...place, ["limit", String(ui.ROWS_PER_PAGE)]]);
}

/** Several keys have the name that was entered, or older ones may have it. */
function WhichKey({ view, called: { keys, isComplete } }: InView<{ called: CalledKeys }>) {
  const say = view.say(requestMessages);
  return (
    <ui.Notice kind="info">
      <p>{say.whichKey(keys.length)}</p>
      {!isComplete && <p>{say.olderKeys}</p>}
      <ul class="plain">
        {keys.slice(0, KEYS_OFFERED_MAX).map(({ id, name, hint }) => (
          <li>
            <a href={ui.withQuery(view, { key: id, cursor: null })}>{name} ({hint})</a>
          </li>
        ))}
      </ul>
    </ui.Notice>
  );
}

function Nothing({ view, isNarrowed }: InView<{ isNarrowed: boolean }>) {
  const say = view.say(requestMessages);
  if (!isNarrowed) return <FirstCall view={view} title={say.none} hint={say.noneHint} />;
  return (
    <ui.EmptyState title={say.noneFound} hint={say.noneFoundHint}>
      <a class="button" href={view.url.pathname}>{say.clear}</a>
    </ui.EmptyState>
  );
}
