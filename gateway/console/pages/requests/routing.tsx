import * as ui from "../../components/mod.ts";
import { dialText } from "../../../domain/routing/dial.ts";
import type { InView } from "../../page.ts";
import { taskDigits, taskHref } from "../routing/answers.ts";
import type { Detail } from "./answer.ts";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { requestPageMessages } from "./request_messages.ts";

type Found = Pick<Detail, "routing" | "scores" | "exclusions" | "attempts" | "outcome" | "tasks">;

interface Candidate {
  readonly model: string;
  readonly verdict: "chosen" | "partly" | "tried" | "spare" | "excluded";
  readonly score?: number | undefined;
  readonly stage?: string | undefined;
  readonly reason?: string | undefined;
}

const VERDICT_KINDS = {
  chosen: "good",
  partly: "warn",
  tried: "bad",
  spare: "neutral",
  excluded: "warn",
} as const;

/** Which models could have served the request, in the order of the plan, and why not the others. */
export function Routing({ view, detail }: InView<{ detail: Found }>) {
  const say = view.say(requestPageMessages);
  const { routing } = detail;
  const candidates = candidatesOf(detail);
  return (
    <ui.Panel title={say.routing}>
      {routing === null && candidates.length === 0 && <p class="muted">{say.noRouting}</p>}
      {routing !== null && (
        <p>
          <span class="muted">{say.reason}:</span> <span lang="en">{routing.reason}</span>
          <span class="second">{say.considered(routing.considered)}</span>
        </p>
      )}
      {routing?.snapshot !== undefined && <Decision view={view} routing={routing} />}
      {candidates.length > 0 && <Candidates view={view} candidates={candidates} />}
    </ui.Panel>
  );
}

/** The facts that the decision rested on. */
function Decision({ view, routing }: InView<{ routing: NonNullable<Found["routing"]> }>) {
  const say = view.say(requestPageMessages);
  const { task, snapshot = 0, dial, plan, p, p_error: error = 0, outcomes = 0 } = routing;
  const estimate = p === undefined
    ? null
    : say.estimateText(ui.percentText(p, 1), ui.percentText(error, 1), outcomes);
  return (
    <ui.DefinitionList
      items={[
        [
          say.ofTask,
          task === undefined ? null : (
            <a href={taskHref(task)}>
              <code title={task}>{taskDigits(task)}</code>
            </a>
          ),
        ],
        [say.snapshot, snapshot === 0 ? say.snapshotNone : String(snapshot)],
        [say.estimate, estimate],
        [say.dial, dial === undefined ? null : dialText(dial)],
        [say.decidedBy, plan === undefined ? null : say.decisions[plan]],
      ]}
    />
  );
}

function Candidates({ view, candidates }: InView<{ candidates: readonly Candidate[] }>) {
  const say = view.say(requestPageMessages);
  const { stages } = view.say(outcomeMessages);
  const why = {
    chosen: say.whyChosen,
    partly: say.whyPartly,
    tried: say.whyTried,
    spare: say.whySpare,
  };
  return (
    <ui.Sheet<Candidate>
      caption={say.candidates}
      rows={candidates}
      columns={[
        ui.column(say.model, ({ model }) => model, { isHeader: true }),
        ui.column(say.verdict, ({ verdict, stage = "" }) => (
          <ui.Badge kind={VERDICT_KINDS[verdict]}>
            {verdict === "excluded" ? say.excluded(nameOf(stages, stage)) : say[verdict]}
          </ui.Badge>
        )),
        ui.endColumn(say.score, ({ score }) =>
          score === undefined
            ? <span class="muted">–</span>
            : <span class="number">{score.toFixed(3)}</span>),
        ui.column(say.why, ({ verdict, reason }) =>
          verdict === "excluded"
            ? <span class="words" lang="en">{reason}</span>
            : <span class="words muted">{why[verdict]}</span>),
      ]}
    />
  );
}

/** Returns the eligible candidates, best first, then the excluded ones. */
function candidatesOf(
  { routing, scores, exclusions, attempts, outcome }: Found,
): readonly Candidate[] {
  const tried = new Set(attempts.map(({ model }) => model));
  const scoreOf = new Map(scores.map(({ model, score }) => [model, score]));
  const answered = outcome === "ok" ? "chosen" : outcome === "error" ? "tried" : "partly";
  const verdictOf = (model: string) =>
    model === routing?.model ? answered : tried.has(model) ? "tried" : "spare";
  const able = [...new Set([...scoreOf.keys(), ...tried])];
  return [
    ...able.map((
      model,
    ) => ({ model, verdict: verdictOf(model), score: scoreOf.get(model) } as const)),
    ...exclusions.map((exclusion) => ({ ...exclusion, verdict: "excluded" } as const)),
  ];
}
