import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { ApiAnswer } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { type Entry, ENTRY_KINDS } from "./answers.ts";
import { walletMessages } from "./messages.ts";
import { linesOf, type StatementLine } from "./statement_lines.ts";

/** Entries that are read in one go. */
const LIMIT = "50";
/** Lines from which a page is shown; with fewer, more entries are read for it. */
const LINES_MIN = 15;
/** Pages of entries that one page reads, at most. */
const PAGES_MAX = 4;

type StatementPage = AnswerOf<"GET /wallets/{id}/statement">;

const KIND_LOOKS: Readonly<Record<Entry["kind"], ui.BadgeKind>> = {
  open: "neutral",
  credit: "good",
  hold: "neutral",
  progress: "neutral",
  settle: "neutral",
  void: "neutral",
  expire: "warn",
  debit: "warn",
  adjust: "warn",
  tier: "warn",
  close: "warn",
  move: "neutral",
  refund: "good",
};

/** A page of the statement as lines, and where the next one begins. */
export interface StatementLines extends Pick<StatementPage, "cursor" | "available"> {
  readonly lines: readonly StatementLine[];
}

/**
 * The page of the statement that the query asks for, or the mistakes of the query. `open` are the
 * holds that go on; where not all of them are known, a hold without an end counts as one.
 */
export async function statementOf(
  view: View,
  id: string,
  open: { readonly ids: ReadonlySet<string>; readonly isAll: boolean },
): Promise<ApiAnswer<StatementLines>> {
  const query = ui.queryFields(view, ["since", "until", "kind", "cursor", "available"]);
  query.set("limit", LIMIT);
  const isAsked = query.get("kind") === "hold";
  // The end of a hold is newer: on the newest page it is there, if there is one.
  const isNewest = !["cursor", "until", "kind"].some((name) => query.has(name));
  const isOpen = (holdId: string) => isNewest || !open.isAll || open.ids.has(holdId);
  const lines: StatementLine[] = [];
  for (let pages = 1;; pages++) {
    const answer = await view.api.call("GET /wallets/{id}/statement", { id, query });
    if (!answer.ok && answer.refusal.status === 400) return answer;
    const { entries, cursor, available } = view.need(answer);
    lines.push(...isAsked ? entries : linesOf(entries, isOpen));
    if (cursor === null || pages === PAGES_MAX || lines.length >= LINES_MIN) {
      return { ok: true, value: { lines, cursor, available } };
    }
    query.set("cursor", cursor);
    if (available !== null) query.set("available", available);
  }
}

/** Every change of a wallet, newest first, with what was available after it. */
export function Statement(
  { view, walletId, statement }: InView<{ walletId: string; statement: ApiAnswer<StatementLines> }>,
) {
  const say = view.say(walletMessages);
  const time = ui.queryFields(view, ["since", "until"]);
  const file = `/console/feeds/wallets/${encodeURIComponent(walletId)}/statement.csv?${time}`;
  return (
    <ui.Panel title={say.statement} actions={<a href={file} download>{say.csv}</a>}>
      <p class="hint">{say.statementHint}</p>
      <ui.FilterForm view={view}>
        {ui.filterSelects(view)("kind", say.kind, {
          all: say.anyKind,
          options: ENTRY_KINDS.map((value) => [value, say.kinds[value]]),
        })}
        <ui.FilterText view={view} name="since" label={say.from} />
        <ui.FilterText view={view} name="until" label={say.until} />
      </ui.FilterForm>
      {statement.ok
        ? <Entries view={view} statement={statement.value} />
        : <ui.Notice kind="problem">{statement.refusal.message}</ui.Notice>}
    </ui.Panel>
  );
}

function Entries({ view, statement }: InView<{ statement: StatementLines }>) {
  const say = view.say(walletMessages);
  const { lines, cursor, available } = statement;
  // The next page goes on from what was available before the oldest entry of this one.
  const next = available === null
    ? view
    : { ...view, url: new URL(withAvailable(view, available)) };
  return (
    <ui.DataTable
      view={next}
      caption={say.statement}
      rows={lines}
      cursor={cursor}
      columns={columnsOf(view, lines.some((line) => line.available !== null))}
      empty={<ui.EmptyState title={say.noEntries} hint={say.noEntriesHint} />}
    />
  );
}

function withAvailable(view: View, available: string): string {
  return new URL(ui.withQuery(view, { available }), view.url).href;
}

function columnsOf(view: View, hasBalance: boolean): readonly ui.Column<StatementLine>[] {
  const say = view.say(walletMessages);
  const amount = (title: string, value: (row: StatementLine) => string | null) =>
    ui.endColumn(title, (row: StatementLine) => {
      const text = value(row);
      return text === null ? "–" : <ui.Credits amount={text} />;
    });
  return [
    ui.column(say.time, ({ at }) => <ui.Time at={at} />, { isHeader: true }),
    ui.column(
      say.kind,
      ({ kind }) => <ui.Badge kind={KIND_LOOKS[kind]}>{say.kinds[kind]}</ui.Badge>,
    ),
    ui.column(say.remark, (entry) => <Remark view={view} entry={entry} />),
    amount(say.change, ({ change }) => change),
    ...hasBalance ? [amount(say.after, ({ available }) => available)] : [],
  ];
}

function Remark({ view, entry }: InView<{ entry: StatementLine }>) {
  const { note, reason, model, log, recovered, held, moved, tier } = entry;
  const say = view.say(walletMessages);
  const text = recovered === true ? say.recovered : note ?? reason ?? "";
  return (
    <>
      {log !== undefined && (
        <a href={`/console/requests/${encodeURIComponent(log)}`}>{model ?? log}</a>
      )} {moved !== undefined && (
        <a href={`/console/keys/${encodeURIComponent(moved)}`}>
          <code>{moved}</code>
        </a>
      )} {entry.kind === "tier" && <ui.Badge kind="neutral">{tier ?? ""}</ui.Badge>} {text}
      {held !== undefined && <span class="row-note">{say.ofHeld(ui.trimmedCredits(held))}</span>}
    </>
  );
}
