import { formatCredits, parseCredits } from "../../../domain/ledger/money.ts";
import * as ui from "../../components/mod.ts";
import type { InReading, Reading } from "../../page.ts";
import type { Detail, Hold } from "./answer.ts";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { requestPageMessages } from "./request_messages.ts";

const STATE_KINDS: Readonly<Record<string, ui.BadgeKind>> = {
  settled: "good",
  open: "warn",
  unknown: "bad",
};

/** The cost of a request with its holds. */
interface Booked extends Pick<Detail, "charged"> {
  readonly settlement: Pick<Detail["settlement"], "holds" | "complete">;
  /** Wallet whose statement is linked. @default {none} */
  readonly wallet?: string;
}

/** The holds of a request and their settlement, to the last digit. */
export function Books({ view, detail }: InReading<{ detail: Booked }>) {
  const say = view.say(requestPageMessages);
  const { settlement: { holds, complete }, wallet, charged } = detail;
  const link = wallet === undefined
    ? undefined
    : <a href={`/console/wallets/${encodeURIComponent(wallet)}`}>{say.statement}</a>;
  const sum = sumOf(holds, "charged");
  return (
    <ui.Panel title={say.books} actions={link}>
      {holds.length === 0
        ? <p class="muted">{say.noHolds}</p>
        : <ui.Sheet caption={say.booksCaption} rows={holds} columns={columnsOf(view, holds)} />}
      {!complete && <ui.Notice kind="info">{say.incomplete}</ui.Notice>}
      {holds.length === 0 || !complete
        ? null
        : parseCredits(sum) === parseCredits(charged)
        ? <p class="hint">{say.adds(ui.trimmedCredits(sum))}</p>
        : (
          <ui.Notice kind="problem">
            {say.addsNot(ui.trimmedCredits(sum), ui.trimmedCredits(charged))}
          </ui.Notice>
        )}
    </ui.Panel>
  );
}

type Amount = "held" | "charged" | "returned" | "writtenOff";

function columnsOf(view: Reading, holds: readonly Hold[]): readonly ui.Column<Hold>[] {
  const say = view.say(requestPageMessages);
  const { holds: names, attempts } = view.say(outcomeMessages);
  const amount = (of: Amount): ui.Column<Hold> =>
    ui.endColumn(
      say[of],
      ({ [of]: value }) =>
        value === null ? <span class="muted">–</span> : <ui.Credits amount={value} />,
      { foot: <ui.Credits amount={sumOf(holds, of)} /> },
    );
  const hasLosses = parseCredits(sumOf(holds, "writtenOff")) !== 0n;
  return [
    ui.column(say.hold, ({ id, model }) => (
      <>
        <code class="id">{id}</code>
        {model !== null && <span class="second">{model}</span>}
      </>
    ), { isHeader: true, foot: say.sum }),
    ui.column(say.state, ({ state, reason, recovered }) => (
      <>
        <ui.Badge kind={STATE_KINDS[state] ?? "neutral"}>{nameOf(names, state)}</ui.Badge>
        {reason !== null && <span class="second">{nameOf(attempts, reason)}</span>}
        {recovered && <span class="second">{say.recovered}</span>}
      </>
    )),
    ui.endColumn(say.price, ({ priceVersion }) => priceVersion ?? "–"),
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
