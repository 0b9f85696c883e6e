import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { ApiAnswer, Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import { sharedMessages } from "../../messages/shared.ts";
import type { InView, Outcome, Shown, View } from "../../page.ts";
import { type Change, Changes } from "./changes.tsx";
import {
  type CatalogIds,
  type CatalogText,
  catalogVersion,
  currentCatalog,
  idsOf,
} from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { mergeEdits } from "./merge.ts";

/** Longest note of a version, in characters. */
export const NOTE_MAX = 500;

/** The result of a change or of its rehearsal. */
export type ApplyAnswer = AnswerOf<"POST /catalog/apply">;

/** An edit on its way into the catalog. */
export interface Edit {
  /** The whole catalog, as it is to be. */
  readonly content: unknown;
  /** The version that the edit began with. */
  readonly base: number;
  readonly note: string;
  /** Also if wallets lose their tier. */
  readonly isForced: boolean;
}

/** A page for an edit that the API does not accept, such as its form with the reason. */
export type ShowRefused = (refusal: Refusal, edit: Edit) => Promise<Shown> | Shown;

interface Staleness {
  /** The version that the edit began with. */
  readonly base: number;
  readonly changes: readonly Change[];
  readonly conflicts: readonly string[];
}

/** Shows what an edit would change, with what makes it so. Nothing is changed. */
export function review(view: View, edit: Edit, refused: ShowRefused): Promise<Shown> {
  return reviewed(view, edit, { refused });
}

async function reviewed(
  view: View,
  edit: Edit,
  { refused, refusal }: {
    readonly refused: ShowRefused;
    /** The refusal of an attempt to apply it. */
    readonly refusal?: Refusal;
  },
): Promise<Shown> {
  const current = await currentCatalog(view);
  const [fresh, stale] = current.version === edit.base
    ? [edit, undefined]
    : await broughtUp(view, edit, current);
  const { answer, held } = await rehearsed((isForced) => rehearse(view, { ...fresh, isForced }), {
    isForced: edit.isForced,
  });
  if (!answer.ok) return await refused(answer.refusal, fresh);
  // What else stands in its way is on the page itself.
  const isTold = stale !== undefined || held !== undefined;
  return reviewPage(view, {
    edit: fresh,
    outcome: answer.value,
    contents: [current.content, ...idsOf(fresh.content)],
    stale,
    held,
    refusal: isTold ? undefined : refusal,
  });
}

/** A change that was rehearsed; one that takes a tier from wallets, as if it were forced. */
export interface Rehearsed {
  readonly answer: ApiAnswer<ApplyAnswer>;
  /** Why it is applied by force only. */
  readonly held: Refusal | undefined;
}

/** Rehearses a change, by force where it is held back otherwise, so that it can be looked at. */
export async function rehearsed(
  rehearse: (isForced: boolean) => Promise<ApiAnswer<ApplyAnswer>>,
  { isForced }: { readonly isForced: boolean },
): Promise<Rehearsed> {
  const answer = await rehearse(isForced);
  const isHeld = !answer.ok && answer.refusal.param === "tiers" && answer.refusal.status === 409;
  return isHeld
    ? { answer: await rehearse(true), held: answer.refusal }
    : { answer, held: undefined };
}

/** Brings an edit into force, as one version; shows it again where that cannot be done. */
export async function apply(view: View, edit: Edit, refused: ShowRefused): Promise<Outcome> {
  const { content, base, note, isForced } = edit;
  const answer = await view.api.call("POST /catalog/apply", {
    body: { content, note, force: isForced, expectedVersion: base },
  });
  if (!answer.ok) return await reviewed(view, edit, { refused, refusal: answer.refusal });
  const say = view.say(editMessages);
  const { applied, version } = answer.value;
  return { goTo: "/catalog/history", done: applied ? say.applied(version) : say.nothingApplied };
}

function rehearse(view: View, { content, base, isForced }: Edit): Promise<ApiAnswer<ApplyAnswer>> {
  const body = { content, dryRun: true, force: isForced, expectedVersion: base };
  return view.api.call("POST /catalog/apply", { body });
}

/** The edit on top of what others have applied since it began. */
async function broughtUp(
  view: View,
  edit: Edit,
  current: { readonly version: number; readonly content: CatalogText },
): Promise<[Edit, Staleness]> {
  const base = await catalogVersion(view, String(edit.base));
  const { changes } = await view.load("GET /catalog/versions/{version}/changes", {
    version: String(current.version),
    query: { since: String(edit.base) },
  });
  const { value, conflicts } = mergeEdits(base.content, edit.content, current.content);
  return [
    { ...edit, content: value, base: current.version },
    { base: edit.base, changes, conflicts },
  ];
}

interface Reviewed {
  readonly edit: Edit;
  readonly outcome: ApplyAnswer;
  readonly contents: readonly CatalogIds[];
  readonly stale: Staleness | undefined;
  /** Why it is applied by force only. */
  readonly held: Refusal | undefined;
  /** Why it was not applied, where nothing else on the page says so. */
  readonly refusal: Refusal | undefined;
}

function reviewPage(view: View, reviewed: Reviewed): Shown {
  const say = view.say(editMessages);
  const { outcome, contents, stale, held, refusal } = reviewed;
  const isConflict = stale !== undefined || held !== undefined;
  return {
    title: say.reviewTitle,
    body: (
      <>
        <ui.PageHead title={say.reviewTitle} intro={say.reviewIntro(outcome.version)} />
        {stale !== undefined && (
          <Stale view={view} stale={stale} version={outcome.version} contents={contents} />
        )}
        {outcome.changes.length === 0
          ? <ui.EmptyState title={say.nothing} hint={say.nothingHint} />
          : <Consequences view={view} outcome={outcome} contents={contents} held={held} />}
        <ApplyForm view={view} reviewed={reviewed} />
      </>
    ),
    status: isConflict ? 409 : refusal?.status ?? 200,
  };
}

function Stale({ view, stale, version, contents }: InView<{
  stale: Staleness;
  version: number;
  contents: readonly CatalogIds[];
}>) {
  const say = view.say(editMessages);
  return (
    <>
      <ui.Notice kind="problem">
        {say.stale(stale.base, version)}
        {stale.conflicts.length > 0 && (
          <>
            {" "}
            {say.conflicts} <code>{ui.shownText(stale.conflicts.join(", "))}</code>
          </>
        )}
      </ui.Notice>
      <ui.Panel title={say.meanwhile}>
        <Changes view={view} changes={stale.changes} contents={contents} />
      </ui.Panel>
    </>
  );
}

/** The consequences of a change: the difference, and the warnings of the API. */
export function Consequences({ view, outcome, contents, held }: InView<{
  outcome: ApplyAnswer;
  contents: readonly CatalogIds[];
  held: Refusal | undefined;
}>) {
  const say = view.say(editMessages);
  const advice = [...held === undefined ? [] : [held.message], ...outcome.warnings];
  return (
    <>
      <ui.Panel title={say.difference}>
        <Changes view={view} changes={outcome.changes} contents={contents} />
      </ui.Panel>
      {advice.length > 0 && (
        <ui.Panel title={say.advice}>
          <ul class="advice">{advice.map((line) => <li key={line}>{ui.shownText(line)}</li>)}</ul>
        </ui.Panel>
      )}
    </>
  );
}

function ApplyForm({ view, reviewed }: InView<{ reviewed: Reviewed }>) {
  const say = view.say(editMessages);
  const { edit, outcome, held, refusal } = reviewed;
  return (
    <section class="panel">
      <ui.ChangeForm action="/console/catalog/apply" refusal={refusal}>
        {outcome.changes.length > 0 && (
          <ui.Field
            name="note"
            label={say.note}
            hint={say.noteHint}
            value={edit.note}
            maxLength={NOTE_MAX}
            error={ui.fieldError(refusal, "note")}
          />
        )}
        {(held !== undefined || edit.isForced) && (
          <ui.CheckField name="force" label={say.force} isChecked={edit.isForced} />
        )}
        <div class="actions form-end">
          {outcome.changes.length > 0 && (
            <button type="submit" class="button primary" name="do" value="apply">
              {say.apply}
            </button>
          )}
          <button type="submit" class="button" name="do" value="edit">{say.editFurther}</button>
          <a class="button quiet" href="/console/catalog">{view.say(sharedMessages).cancel}</a>
        </div>
        <input type="hidden" name="content" value={JSON.stringify(edit.content)} />
        <input type="hidden" name="base" value={String(edit.base)} />
      </ui.ChangeForm>
    </section>
  );
}
