import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { InReading, InView, Page, Shown, View } from "../../page.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME } from "../../../domain/policy/key.ts";
import type { Detail, OwnTimedAttempt } from "./answer.ts";
import { Books } from "./books.tsx";
import { endOf } from "./columns.tsx";
import { requestMessages } from "./messages.ts";
import { OutcomeBadge, outcomeKind, outcomeOf } from "./outcome.tsx";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { Plan } from "./plan.tsx";
import { requestPageMessages } from "./request_messages.ts";
import { Routing } from "./routing.tsx";
import { Timeline } from "./timeline.tsx";

/** One request: how it ended, why it went where it went, and what it cost. */
export const requestPage: Page = { path: "/requests/:id", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(requestPageMessages);
  const answer = await view.api.call("GET /requests/{id}", { id: view.param("id") });
  if (!answer.ok && answer.refusal.status === 404) return notFound(view);
  const detail = view.need(answer);
  const key = await view.api.call("GET /keys/{id}", { id: detail.key });
  return {
    title: say.title(detail.requestId),
    body: (
      <>
        <p class="back">
          <a href="/console/requests">← {say.back}</a>
        </p>
        <ui.PageHead
          title={<code class="id">{detail.requestId}</code>}
          intro={<Intro {...{ view, detail }} />}
        >
          {view.actor?.rights.includes("wallets") && ui.creditsOrder(detail.charged) > 0n && (
            <a class="button" href={`/console/requests/${encodeURIComponent(detail.id)}/refund`}>
              {say.refund}
            </a>
          )}
        </ui.PageHead>
        <Ending view={view} detail={detail} />
        <UsageProblems view={view} detail={detail} />
        <RequestFigures view={view} detail={detail} />
        <Summary view={view} detail={detail} keyName={key.ok ? key.value.name : detail.key} />
        {detail.tasks !== null && <Plan view={view} tasks={detail.tasks} />}
        <Routing view={view} detail={detail} />
        <Timeline view={view} detail={detail} />
        <Books view={view} detail={detail} />
        <Content view={view} content={detail.content} isHidden={detail.isContentHidden} />
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

function Intro({ view, detail }: InView<{ detail: Detail }>) {
  const list = view.say(requestMessages);
  return (
    <>
      {nameOf(list.endpoints, detail.endpoint)}
      {detail.stream ? `, ${list.streamed}` : ""} · <ui.Time at={detail.at} />
    </>
  );
}

/** Facts of a request that are shown as figures. */
interface Figured extends
  Pick<
    Detail,
    | "inputTokens"
    | "cachedInputTokens"
    | "outputTokens"
    | "firstByteMs"
    | "charged"
    | "estimated"
    | "durationMs"
  > {
  readonly timeline: readonly OwnTimedAttempt[];
}

/** The outcome in words, so that only a complete answer looks like one. */
export function Ending(
  { view, detail }: InReading<{ detail: Pick<Detail, "outcome" | "status" | "errorCode"> }>,
) {
  const name = outcomeOf(detail);
  const { status, errorCode } = detail;
  return (
    <div class={`ending ending-${outcomeKind(name)}`}>
      <OutcomeBadge view={view} outcome={detail.outcome} status={status} />
      <p>
        {view.say(outcomeMessages).sentences[name]}
        <span class="second">
          {view.say(requestPageMessages).status(status)}
          {errorCode !== null && (
            <>
              {" · "} <code>{errorCode}</code>
            </>
          )}
        </span>
      </p>
    </div>
  );
}

/** Reports of usage that could not be true: what the call was charged was counted instead. */
function UsageProblems({ view, detail: { usageProblems } }: InView<{ detail: Detail }>) {
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

/** The cost, the time and the size of a request. */
export function RequestFigures({ view, detail }: InReading<{ detail: Figured }>) {
  const say = view.say(requestPageMessages);
  const { inputTokens, cachedInputTokens, outputTokens, firstByteMs, timeline } = detail;
  const failed = timeline.filter(({ outcome }) => outcome !== "ok").length;
  const cached = cachedInputTokens === 0
    ? null
    : <span>{say.cached(ui.countText(cachedInputTokens))}</span>;
  return (
    <ui.Figures
      items={[
        {
          name: say.charged,
          value: <ui.Credits amount={detail.charged} />,
          remark: detail.estimated ? say.estimated : say.credits,
        },
        {
          name: say.duration,
          value: <ui.Duration ms={detail.durationMs} />,
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

function Summary({ view, detail, keyName }: InView<{ detail: Detail; keyName: string }>) {
  const say = view.say(requestPageMessages);
  const { key, wallet, routing, requestId } = detail;
  const link = (section: string, id: string, text: Child) => (
    <a href={`/console/${section}/${encodeURIComponent(id)}`}>{text}</a>
  );
  const same = new URLSearchParams({ q: requestId });
  const began = <ui.Time at={detail.at} />;
  const ended = <ui.Time at={endOf(detail)} />;
  const row = <code>{detail.id}</code>;
  return (
    <ui.Panel title={say.summary} actions={<a href={`/console/requests?${same}`}>{say.same}</a>}>
      <ui.DefinitionList
        items={[
          [say.key, key === AUDIT_KEY_ID ? AUDIT_KEY_NAME : link("keys", key, keyName)],
          [say.wallet, link("wallets", wallet, wallet)],
          [say.model, detail.model],
          [say.provider, detail.provider],
          [say.tier, routing?.tier ?? null],
          [say.endpoint, nameOf(view.say(requestMessages).endpoints, detail.endpoint)],
          [say.user, detail.user],
          [say.safetyIdentifier, detail.safetyIdentifier],
          [say.tags, tagsText(detail.tags)],
          [say.beganOn, began],
          [say.ended, ended],
          [say.rowId, row],
        ]}
      />
    </ui.Panel>
  );
}

/** Returns tags in one line; `null` without any. */
export function tagsText(tags: Detail["tags"]): string | null {
  const pairs = Object.entries(tags).map((pair) => pair.join("="));
  return pairs.length === 0 ? null : pairs.join(", ");
}

/** The logged prompt and answer, folded and marked; a hint where content logging was off. */
export function Content(
  { view, content, isHidden = false }: InView<{ content: Detail["content"]; isHidden?: boolean }>,
) {
  const say = view.say(requestPageMessages);
  if (isHidden) return <p class="hint">{say.contentHidden}</p>;
  if (content === null) return <p class="hint">{say.notLogged}</p>;
  return (
    <ui.Panel title={say.content}>
      <p>
        <ui.Badge kind="warn">{say.contentBadge}</ui.Badge> {say.contentMark}
      </p>
      {content.isCut && <p class="hint">{say.contentCut}</p>}
      {([["prompt", content.prompt], ["answer", content.answer]] as const).map(([name, text]) => (
        <details class="said">
          <summary>{say[name]}</summary>
          <pre tabindex={0} role="region" aria-label={say[name]}>{ui.shownText(text)}</pre>
        </details>
      ))}
    </ui.Panel>
  );
}
