import { formatCredits, parseCredits } from "../../../domain/ledger/money.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { Credits } from "../../components/credits.tsx";
import { trimmedCredits } from "../../components/credits_order.ts";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { Sheet, type SheetColumn } from "../../components/sheet.tsx";
import type { View } from "../../page.ts";
import type { Detail, Hold } from "./answer.ts";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { requestPageMessages } from "./request_messages.ts";

const STATE_KINDS: Readonly<Record<string, BadgeKind>> = {
  settled: "good",
  open: "warn",
  unknown: "bad",
};

/** What was held for the request, and what became of it: to the last digit. */
export function Books({ view, found }: { view: View; found: Detail }) {
  const say = view.say(requestPageMessages);
  const { settlement: { holds, complete }, wallet, charged } = found;
  const link = <a href={`/console/wallets/${encodeURIComponent(wallet)}`}>{say.statement}</a>;
  const sum = sumOf(holds, "charged");
  return (
    <Panel title={say.books} actions={link}>
      {holds.length === 0
        ? <p class="muted">{say.noHolds}</p>
        : <Sheet caption={say.booksCaption} rows={holds} columns={columnsOf(view, holds)} />}
      {complete ? null : <Notice kind="info">{say.incomplete}</Notice>}
      {holds.length === 0 || !complete
        ? null
        : parseCredits(sum) === parseCredits(charged)
        ? <p class="hint">{say.adds(trimmedCredits(sum))}</p>
        : (
          <Notice kind="problem">
            {say.addsNot(trimmedCredits(sum), trimmedCredits(charged))}
          </Notice>
        )}
    </Panel>
  );
}

type Amount = "held" | "charged" | "returned" | "writtenOff";

function columnsOf(view: View, holds: readonly Hold[]): readonly SheetColumn<Hold>[] {
  const say = view.say(requestPageMessages);
  const { holds: names, attempts } = view.say(outcomeMessages);
  const amount = (of: Amount): SheetColumn<Hold> => ({
    title: say[of],
    align: "end",
    cell: ({ [of]: value }) =>
      value === null ? <span class="muted">–</span> : <Credits amount={value} />,
    foot: <Credits amount={sumOf(holds, of)} />,
  });
  const hasLosses = parseCredits(sumOf(holds, "writtenOff")) !== 0n;
  return [
    {
      title: say.hold,
      isHeader: true,
      cell: ({ id, model }) => (
        <>
          <code class="id">{id}</code>
          {model === null ? null : <span class="second">{model}</span>}
        </>
      ),
      foot: say.sum,
    },
    {
      title: say.state,
      cell: ({ state, reason, recovered }) => (
        <>
          <Badge kind={STATE_KINDS[state] ?? "neutral"}>{nameOf(names, state)}</Badge>
          {reason === null ? null : <span class="second">{nameOf(attempts, reason)}</span>}
          {recovered ? <span class="second">{say.recovered}</span> : null}
        </>
      ),
    },
    { title: say.price, align: "end", cell: ({ priceVersion }) => priceVersion ?? "–" },
    amount("held"),
    amount("charged"),
    amount("returned"),
    ...hasLosses ? [amount("writtenOff")] : [],
  ];
}

function sumOf(holds: readonly Hold[], of: Amount): string {
  return formatCredits(
    holds.reduce((sum, { [of]: part }) => sum + (parseCredits(part ?? "0") ?? 0n), 0n),
  );
}
