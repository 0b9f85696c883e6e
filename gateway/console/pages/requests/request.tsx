import { z } from "zod";
import type { Child } from "@hono/hono/jsx";
import { apiPath } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { type Detail, detailAnswer } from "./answer.ts";
import { Books } from "./books.tsx";
import { endOf } from "./columns.tsx";
import { Content } from "./content.tsx";
import { requestMessages } from "./messages.ts";
import { OutcomeBadge, outcomeKind, outcomeOf } from "./outcome.tsx";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { Plan } from "./plan.tsx";
import { requestPageMessages } from "./request_messages.ts";
import { Routing } from "./routing.tsx";
import { Timeline } from "./timeline.tsx";

const keyAnswer = z.object({ name: z.string() });

/** One request: how it ended, why it went where it went, and what it cost. */
export const requestPage: Page = { path: "/requests/:id", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(requestPageMessages);
  const path = apiPath`/requests/${view.param("id")}`;
  const answer = await view.api.get(path, detailAnswer);
  if (!answer.ok && answer.refusal.status === 404) return notFound(view);
  const found = view.need(answer);
  const key = await view.api.get(apiPath`/keys/${found.key}`, keyAnswer);
  return {
    title: say.title(found.requestId),
    body: (
      <>
        <p class="back">
          <a href="/console/requests">← {say.back}</a>
        </p>
        <ui.PageHead
          title={<code class="id">{found.requestId}</code>}
          intro={<Intro {...{ view, found }} />}
        />
        <Ending view={view} found={found} />
        <UsageProblems view={view} found={found} />
        <RequestFigures view={view} found={found} />
        <Summary view={view} found={found} keyName={key.ok ? key.value.name : found.key} />
        {found.tasks !== null && <Plan view={view} tasks={found.tasks} />}
        <Routing view={view} found={found} />
        <Timeline view={view} found={found} />
        <Books view={view} found={found} />
        <Content view={view} content={found.content} />
      </>
    ),
  };
}

/** Most likely one that goes on still: rows are written when requests end. */
function notFound(view: View): Shown {
  const say = view.say(requestPageMessages);
  const id = view.param("id");
  return {
    title: say.none,
    status: 404,
    body: (
      <>
        <ui.PageHead title={say.none} intro={<code class="id">{id}</code>} />
        <ui.EmptyState title={say.noneWhy} hint={say.noneHint}>
          <a class="button" href={view.url.pathname}>{say.lookAgain}</a>
          <a class="button" href={`/console/requests?${new URLSearchParams({ q: id })}`}>
            {say.lookFor}
          </a>
        </ui.EmptyState>
      </>
    ),
  };
}

function Intro({ view, found }: InView<{ found: Detail }>) {
  const list = view.say(requestMessages);
  return (
    <>
      {nameOf(list.endpoints, found.endpoint)}
      {found.stream ? `, ${list.streamed}` : ""} · <ui.Time at={found.at} />
    </>
  );
}

/** How it ended: in words, so that nothing but a whole answer looks like one. */
function Ending({ view, found }: InView<{ found: Detail }>) {
  const name = outcomeOf(found);
  const { status, errorCode } = found;
  return (
    <div class={`ending ending-${outcomeKind(name)}`}>
      <OutcomeBadge view={view} outcome={found.outcome} status={status} />
      <p>
        {view.say(outcomeMessages).sentences[name]}
        <span class="second">
          {view.say(requestPageMessages).status(status)}
          {errorCode !== null && (
            <>
              {" · "}
              <code>{errorCode}</code>
            </>
          )}
        </span>
      </p>
    </div>
  );
}

/** Reports of usage that could not be true: what the call was charged was counted instead. */
function UsageProblems({ view, found: { usageProblems } }: InView<{ found: Detail }>) {
  if (usageProblems.length === 0) return null;
  return (
    <ui.Notice kind="problem">
      <p>{view.say(requestPageMessages).usageNotTaken}</p>
      <ul>
        {usageProblems.map(({ model, problem }) => (
          <li>
            <code>{model}</code>: <span lang="en">{problem}</span>
          </li>
        ))}
      </ul>
    </ui.Notice>
  );
}

function RequestFigures({ view, found }: InView<{ found: Detail }>) {
  const say = view.say(requestPageMessages);
  const { inputTokens, cachedInputTokens, outputTokens, firstByteMs, timeline } = found;
  const failed = timeline.filter(({ outcome }) => outcome !== "ok").length;
  const cached = cachedInputTokens === 0
    ? null
    : <span>{say.cached(ui.countText(cachedInputTokens))}</span>;
  return (
    <ui.Figures
      items={[
        {
          name: say.charged,
          value: <ui.Credits amount={found.charged} />,
          remark: found.estimated ? say.estimated : say.credits,
        },
        {
          name: say.duration,
          value: <ui.Duration ms={found.durationMs} />,
          remark: firstByteMs === null ? "" : say.firstByte(ui.durationText(firstByteMs)),
        },
        {
          name: say.tokens,
          value: <ui.RoundedCount value={inputTokens + outputTokens} />,
          remark: (
            <>
              <span>{say.inOut(ui.countText(inputTokens), ui.countText(outputTokens))}</span>
              {cached}
            </>
          ),
        },
        {
          name: say.attempts,
          value: timeline.length,
          remark: timeline.length === 0
            ? say.noAttempt
            : failed === 0
            ? say.noneFailed
            : say.failed(failed),
        },
      ]}
    />
  );
}

function Summary({ view, found, keyName }: InView<{ found: Detail; keyName: string }>) {
  const say = view.say(requestPageMessages);
  const { key, wallet, routing, requestId } = found;
  const link = (section: string, id: string, text: Child) => (
    <a href={`/console/${section}/${encodeURIComponent(id)}`}>{text}</a>
  );
  const same = new URLSearchParams({ q: requestId });
  const began = <ui.Time at={found.at} />;
  const ended = <ui.Time at={endOf(found)} />;
  const row = <code>{found.id}</code>;
  return (
    <ui.Panel
      title={say.summary}
      actions={<a href={`/console/requests?${same}`}>{say.same}</a>}
    >
      <ui.DefinitionList
        items={[
          [say.key, link("keys", key, keyName)],
          [say.wallet, link("wallets", wallet, wallet)],
          [say.model, found.model],
          [say.provider, found.provider],
          [say.tier, routing?.tier ?? null],
          [say.endpoint, nameOf(view.say(requestMessages).endpoints, found.endpoint)],
          [say.beganOn, began],
          [say.ended, ended],
          [say.rowId, row],
        ]}
      />
    </ui.Panel>
  );
}
