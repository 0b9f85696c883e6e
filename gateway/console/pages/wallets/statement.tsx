import type { z } from "zod";
import { type ApiAnswer, apiPath } from "../../api.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { Credits } from "../../components/credits.tsx";
import { type Column, DataTable } from "../../components/data_table.tsx";
import { EmptyState } from "../../components/empty_state.tsx";
import { FilterForm, FilterSelect, FilterText } from "../../components/filter_form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { withQuery } from "../../components/table_order.ts";
import { Time } from "../../components/time.tsx";
import type { View } from "../../page.ts";
import { type Entry, ENTRY_KINDS, statementShape } from "./answers.ts";
import { walletMessages } from "./messages.ts";

/** Entries on a page. */
const LIMIT = "25";

type StatementPage = z.output<typeof statementShape>;

const KIND_LOOKS: Readonly<Record<Entry["kind"], BadgeKind>> = {
  open: "neutral",
  credit: "good",
  hold: "neutral",
  settle: "neutral",
  void: "neutral",
  expire: "warn",
};

/** The page of the statement that the query asks for, or what of the query cannot be read. */
export async function statementOf(view: View, id: string): Promise<ApiAnswer<StatementPage>> {
  const query = new URLSearchParams({ limit: LIMIT });
  for (const name of ["since", "until", "kind", "cursor", "available"]) {
    const value = view.query.get(name)?.trim();
    if (value) query.set(name, value);
  }
  const path = `${apiPath`/wallets/${id}/statement`}?${query}`;
  const answer = await view.api.get(path, statementShape);
  return answer.ok || answer.refusal.status === 400
    ? answer
    : { ok: true, value: view.need(answer) };
}

/** Every change of a wallet, newest first, with what was available after it. */
export function Statement(
  { view, walletId, statement }: {
    view: View;
    walletId: string;
    statement: ApiAnswer<StatementPage>;
  },
) {
  const say = view.say(walletMessages);
  const time = new URLSearchParams();
  for (const name of ["since", "until"]) {
    const value = view.query.get(name);
    if (value) time.set(name, value);
  }
  const file = `/console/feeds/wallets/${encodeURIComponent(walletId)}/statement.csv?${time}`;
  return (
    <Panel title={say.statement} actions={<a href={file} download>{say.csv}</a>}>
      <p class="hint">{say.statementHint}</p>
      <FilterForm view={view}>
        <FilterSelect
          view={view}
          name="kind"
          label={say.kind}
          all={say.anyKind}
          options={ENTRY_KINDS.map((value) => [value, say.kinds[value]])}
        />
        <FilterText view={view} name="since" label={say.from} />
        <FilterText view={view} name="until" label={say.until} />
      </FilterForm>
      {statement.ok
        ? <Entries view={view} statement={statement.value} />
        : <Notice kind="problem">{statement.refusal.message}</Notice>}
    </Panel>
  );
}

function Entries({ view, statement }: { view: View; statement: StatementPage }) {
  const say = view.say(walletMessages);
  const { entries, cursor, available } = statement;
  // The next page goes on from what was available before the oldest entry of this one.
  const next = available === null
    ? view
    : { ...view, url: new URL(withAvailable(view, available)) };
  return (
    <DataTable
      view={next}
      caption={say.statement}
      rows={entries}
      cursor={cursor}
      columns={columnsOf(view, entries.some((entry) => entry.available !== null))}
      empty={<EmptyState title={say.noEntries} hint={say.noEntriesHint} />}
    />
  );
}

function withAvailable(view: View, available: string): string {
  return new URL(withQuery(view, { available }), view.url).href;
}

function columnsOf(view: View, hasBalance: boolean): readonly Column<Entry>[] {
  const say = view.say(walletMessages);
  const amount = (id: string, title: string, value: (row: Entry) => string | null | undefined) => ({
    id,
    title,
    align: "end" as const,
    cell: (row: Entry) => {
      const text = value(row);
      return text == null ? "–" : <Credits amount={text} />;
    },
  });
  return [
    { id: "at", title: say.time, isHeader: true, cell: ({ at }) => <Time at={at} /> },
    {
      id: "kind",
      title: say.kind,
      cell: ({ kind }) => <Badge kind={KIND_LOOKS[kind]}>{say.kinds[kind]}</Badge>,
    },
    { id: "remark", title: say.remark, cell: (entry) => <Remark view={view} entry={entry} /> },
    amount("change", say.change, ({ change }) => change),
    amount("charged", say.charged, ({ charged }) => charged),
    ...hasBalance ? [amount("after", say.after, ({ available }) => available)] : [],
  ];
}

function Remark({ view, entry }: { view: View; entry: Entry }) {
  const { note, reason, model, log, recovered } = entry;
  const text = recovered === true ? view.say(walletMessages).recovered : note ?? reason ?? "";
  return (
    <>
      {log === undefined
        ? null
        : <a href={`/console/requests/${encodeURIComponent(log)}`}>{model ?? log}</a>} {text}
    </>
  );
}
