import * as ui from "../../components/mod.ts";
import type { InReading, Reading } from "../../page.ts";
import type { Detail, OwnTimedAttempt } from "./answer.ts";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { requestPageMessages } from "./request_messages.ts";

/** Units of the bars' drawing, from the request's beginning to its end. */
const SCALE = 1_000;

/** Every upstream call, with a bar where it lies in the request's time. */
export function Timeline(
  { view, detail: { timeline, durationMs, stream } }: InReading<
    {
      detail: Pick<Detail, "durationMs" | "stream"> & {
        readonly timeline: readonly OwnTimedAttempt[];
      };
    }
  >,
) {
  const say = view.say(requestPageMessages);
  if (timeline.length === 0) return null;
  const attempts = timeline.toSorted((a, b) =>
    (a.startMs ?? Infinity) - (b.startMs ?? Infinity) || 0
  );
  const wholeMs = Math.max(
    1,
    durationMs,
    ...timeline.map(({ startMs, ms }) => (startMs ?? 0) + ms),
  );
  return (
    <ui.Panel title={say.timeline}>
      <ui.Sheet
        caption={say.timelineCaption}
        rows={attempts}
        columns={columnsOf(view, {
          wholeMs,
          hasTasks: timeline.some(({ task }) => task !== null),
          streamed: stream ? timeline.at(-1) : undefined,
        })}
      />
      {stream && <p class="hint">{say.onItsWay}</p>}
      <UpstreamWords view={view} attempts={attempts} />
    </ui.Panel>
  );
}

function columnsOf(
  view: Reading,
  { wholeMs, hasTasks, streamed }: {
    wholeMs: number;
    hasTasks: boolean;
    /** The one that went on to the end of the request. */
    streamed: OwnTimedAttempt | undefined;
  },
): readonly ui.Column<OwnTimedAttempt>[] {
  const say = view.say(requestPageMessages);
  const { attempts } = view.say(outcomeMessages);
  return [
    ...hasTasks ? [ui.column(say.task, ({ task }: OwnTimedAttempt) => task ?? "final")] : [],
    ui.column(say.model, ({ model, provider }) => (
      <>
        {model}
        <span class="second">{provider}</span>
      </>
    ), { isHeader: true }),
    ui.column(say.outcome, ({ outcome, status }) => (
      <>
        <ui.Badge kind={outcome === "ok" ? "good" : outcome === "cancelled" ? "neutral" : "bad"}>
          {nameOf(attempts, outcome)}
        </ui.Badge>
        {status !== null && status !== undefined && !(status < 400) && (
          <span class="second">{say.status(status)}</span>
        )}
      </>
    )),
    ui.endColumn(say.began, ({ startMs }) => <ui.Duration ms={startMs} />),
    ui.endColumn(
      streamed === undefined ? say.took : say.tookFirst,
      ({ ms }) => <ui.Duration ms={ms} />,
    ),
    ui.column(
      `${say.bar} (${say.scale(ui.durationText(wholeMs))})`,
      (attempt) => <Bar attempt={attempt} wholeMs={wholeMs} goesOn={attempt === streamed} />,
    ),
  ];
}

function Bar(
  { attempt, wholeMs, goesOn }: { attempt: OwnTimedAttempt; wholeMs: number; goesOn: boolean },
) {
  const { startMs, ms, outcome } = attempt;
  if (startMs === null) return <span class="muted">–</span>;
  const from = Math.min(SCALE - 6, startMs / wholeMs * SCALE);
  // What is over at once is still to be seen.
  const width = Math.max(6, Math.min(SCALE - from, ms / wholeMs * SCALE));
  return (
    <svg
      class={outcome === "ok" ? "bar" : "bar bar-bad"}
      viewBox={`0 0 ${SCALE} 10`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="bar-ground" x="0" y="4" width={SCALE} height="2" />
      {goesOn && (
        <rect
          class="bar-rest"
          x={from.toFixed(1)}
          y="0"
          width={(SCALE - from).toFixed(1)}
          height="10"
        />
      )}
      <rect class="bar-fill" x={from.toFixed(1)} y="0" width={width.toFixed(1)} height="10" />
    </svg>
  );
}

/** Upstreams' words of failed attempts: redacted by the API, and no answer of ours. */
function UpstreamWords({ view, attempts }: InReading<{ attempts: readonly OwnTimedAttempt[] }>) {
  const say = view.say(requestPageMessages);
  return (
    <>
      {attempts.map(({ model, words = null }) =>
        words === null ? null : (
          <details class="said" open>
            <summary>{say.words(model)}</summary>
            <pre
              tabindex={0}
              role="region"
              aria-label={say.words(model)}
            >{ui.shownText(words)}</pre>
          </details>
        )
      )}
    </>
  );
}
