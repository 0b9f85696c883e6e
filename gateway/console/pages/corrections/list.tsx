import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import { correctionMessages } from "./messages.ts";

type Correction = AnswerOf<"GET /corrections/{id}">;

const LOOKS: Readonly<Record<Correction["state"], ui.BadgeKind>> = {
  applied: "good",
  waiting: "warn",
  approved: "good",
  refused: "neutral",
  expired: "neutral",
};

/** Corrections that wait for another person. Its path is one that no wallet has. */
export const correctionList: Page = {
  path: "/wallets/-/corrections",
  show: (view) => shown(view),
  async change(view, form): Promise<Outcome> {
    const say = view.say(correctionMessages);
    const id = form.get("id") ?? "";
    const isApproval = form.get("do") === "approve";
    const note = form.get(form.get("noted") ?? "")?.trim() ?? "";
    const ended = isApproval
      ? await view.api.call("POST /corrections/{id}/approve", { id })
      : await view.api.call("POST /corrections/{id}/refuse", { id, body: { note } });
    if (!ended.ok) return await shown(view, ended.refusal);
    return { goTo: "/wallets/-/corrections", done: isApproval ? say.approved : say.refused };
  },
};

async function shown(view: View, refusal?: Refusal): Promise<Shown> {
  const say = view.say(correctionMessages);
  const { corrections, approvalAbove } = await view.load("GET /corrections");
  const waiting = corrections.filter(({ state }) => state === "waiting");
  return {
    title: say.title,
    status: refusal?.status ?? 200,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro(ui.trimmedCredits(approvalAbove))} />
        {refusal !== undefined && <ui.Notice kind="problem">{refusal.message}</ui.Notice>}
        {waiting.map((correction, at) => (
          <Waiting view={view} correction={correction} field={`note-${at}`} />
        ))}
        <ui.DataTable<Correction>
          view={view}
          caption={say.title}
          rows={corrections}
          cursor={null}
          columns={columnsOf(view)}
          empty={<ui.EmptyState title={say.none} hint={say.noneHint} />}
        />
      </>
    ),
  };
}

function columnsOf(view: View): readonly ui.Column<Correction>[] {
  const say = view.say(correctionMessages);
  return [
    ui.column(say.correction, ({ id }) => <code>{id}</code>, { isHeader: true }),
    ui.column(
      say.state,
      ({ state }) => <ui.Badge kind={LOOKS[state]}>{say.states[state]}</ui.Badge>,
    ),
    ui.column(say.kind, ({ kind }) => say.kinds[kind]),
    ui.column(
      say.wallet,
      ({ wallet }) => <a href={`/console/wallets/${encodeURIComponent(wallet)}`}>{wallet}</a>,
    ),
    ui.column(say.by, ({ by }) => by.name),
    ui.column(say.note, ({ note }) => note),
    ui.endColumn(say.stake, ({ stake }) => <ui.Credits amount={stake} />),
  ];
}

/** One that waits, with the two answers to it. */
function Waiting(
  { view, correction, field }: InView<{ correction: Correction; field: string }>,
) {
  const say = view.say(correctionMessages);
  const { id, kind, wallet, note, by, expiresAt } = correction;
  return (
    <ui.Panel title={`${say.kinds[kind]}: ${wallet}`}>
      <p>
        {say.by}: {by.name}. {say.note}: {note}. {say.expires}: <ui.Time at={expiresAt ?? ""} />
      </p>
      <form method="post" class="mark-form" autocomplete="off">
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="noted" value={field} />
        <ui.Field name={field} label={say.refuseNote} maxLength={500} value="" />
        <button type="submit" class="button primary" name="do" value="approve">
          {say.approve}
        </button>
        <button type="submit" class="button" name="do" value="refuse">{say.refuse}</button>
      </form>
    </ui.Panel>
  );
}
