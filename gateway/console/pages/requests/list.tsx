import { z } from "zod";
import type { Child } from "@hono/hono/jsx";
import { DataTable, ROWS_PER_PAGE } from "../../components/data_table.tsx";
import { EmptyState } from "../../components/empty_state.tsx";
import { Notice } from "../../components/notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import type { Page, Shown, View } from "../../page.ts";
import { listAnswer } from "./answer.ts";
import { columnsOf, hrefOf, keyNames } from "./columns.tsx";
import { type Choices, conditions, RequestFilter } from "./filter.tsx";
import { FirstCall } from "./first_call.tsx";
import { requestMessages } from "./messages.ts";
import { Tail, TailButton } from "./tail.tsx";

const modelsAnswer = z.object({ models: z.array(z.object({ id: z.string() })) });

/** Requests, to search and to follow live. */
export const requestList: Page = { path: "/requests", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(requestMessages);
  const wanted = conditions(view);
  const isNarrowed = wanted.size > 0;
  for (const name of ["order", "cursor"]) {
    const value = view.query.get(name) ?? "";
    if (value !== "") wanted.set(name, value);
  }
  wanted.set("limit", String(ROWS_PER_PAGE));
  const [found, names, models] = await Promise.all([
    view.api.get(`/requests?${wanted}`, listAnswer),
    keyNames(view),
    view.api.get("/models", modelsAnswer),
  ]);
  const choices: Choices = { keys: names, models: view.need(models).models.map(({ id }) => id) };
  const frame = (body: Child) => (
    <>
      <PageHead title={say.title} intro={say.intro}>
        <TailButton view={view} />
      </PageHead>
      <div class="request-filter">
        <RequestFilter view={view} choices={choices} />
      </div>
      {body}
    </>
  );
  if (!found.ok) {
    const { message, status } = found.refusal;
    const problem = <Notice kind="problem">{message}</Notice>;
    return { title: say.title, scripts: ["range.js"], body: frame(problem), status };
  }
  const { requests, cursor } = found.value;
  return {
    title: say.title,
    scripts: ["range.js", "tail.js"],
    body: frame(
      <>
        <Tail view={view} conditions={conditions(view)} columns={columnsOf(view, names)} />
        <div class="requests-list stack">
          <DataTable
            view={view}
            caption={say.caption}
            rows={requests}
            cursor={cursor}
            href={hrefOf}
            columns={columnsOf(view, names)}
            empty={isNarrowed
              ? <NoneFound view={view} />
              : <FirstCall view={view} title={say.none} hint={say.noneHint} />}
          />
        </div>
      </>,
    ),
  };
}

function NoneFound({ view }: { view: View }) {
  const say = view.say(requestMessages);
  return (
    <EmptyState title={say.noneFound} hint={say.noneFoundHint}>
      <a class="button" href={view.url.pathname}>{say.clear}</a>
    </EmptyState>
  );
}
