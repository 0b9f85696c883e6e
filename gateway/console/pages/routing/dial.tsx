import * as ui from "../../components/mod.ts";
import { dialText } from "../../../domain/routing/dial.ts";
import type { InView } from "../../page.ts";
import type { Replay, ReplayResult } from "./answers.ts";
import { routingMessages } from "./messages.ts";
import { QualityText } from "./quality.tsx";
import { type Inks, ShareBar } from "./share_bar.tsx";
import { TryForm } from "./try_form.tsx";

interface Row {
  readonly name: string;
  readonly result: ReplayResult;
}

/** The dial, to try on recorded decisions, and to apply. */
export function DialPanel({ view, replay, wrong, inks, base }: InView<{
  replay: Replay;
  /** The problem of the position that was entered. */
  wrong: string | undefined;
  inks: Inks;
  /** Version of the catalog in force. */
  base: number;
}>) {
  const say = view.say(routingMessages);
  const { samples, dial, dialInForce } = replay;
  if (samples === 0) {
    return (
      <ui.Panel title={say.dial}>
        <p class="muted">{say.noSamples}</p>
      </ui.Panel>
    );
  }
  const isOther = dial !== dialInForce;
  const rows: readonly Row[] = [
    { name: say.inForce(dialText(dialInForce)), result: replay.inForce },
    ...(isOther ? [{ name: say.tried(dialText(dial)), result: replay.tried }] : []),
    { name: say.alwaysBest, result: replay.best },
    { name: say.alwaysCheapest, result: replay.cheapest },
  ];
  return (
    <ui.Panel title={say.dial}>
      <p class="hint">{say.dialHint(samples)}</p>
      <TryForm view={view} name="dial" submit={say.try}>
        <ui.Field
          name="dial"
          label={say.dialField}
          value={view.query.get("dial") ?? String(dial)}
          inputmode="decimal"
          maxLength={8}
          error={wrong}
        />
      </TryForm>
      <Results view={view} rows={rows} inks={inks} />
      {isOther && <ApplyDial view={view} dial={dial} base={base} />}
      <Curve view={view} replay={replay} />
    </ui.Panel>
  );
}

/** The recorded decisions, routed in several ways. */
function Results({ view, rows, inks }: InView<{ rows: readonly Row[]; inks: Inks }>) {
  const say = view.say(routingMessages);
  return (
    <ui.Sheet<Row>
      caption={say.dialCaption}
      rows={rows}
      columns={[
        ui.column(say.way, ({ name }) => name, { isHeader: true }),
        ui.endColumn(say.cost, ({ result }) => <ui.RoundedCredits amount={result.cost} />),
        ui.endColumn(
          say.costShare,
          ({ result }) => <span class="number">{ui.percentText(result.costShare, 1)}</span>,
        ),
        ui.endColumn(
          say.quality,
          ({ result }) => <QualityText view={view} quality={result.quality} />,
        ),
        ui.column(
          say.divided,
          ({ result }) => <ShareBar view={view} parts={result.models} inks={inks} />,
        ),
      ]}
    />
  );
}

function ApplyDial({ view, dial, base }: InView<{ dial: number; base: number }>) {
  const say = view.say(routingMessages);
  return (
    <form method="post" class="apply-dial" autocomplete="off">
      <ui.HiddenFields values={{ do: "dial", position: String(dial), base: String(base) }} />
      <button type="submit" class="button primary">{say.apply(dialText(dial))}</button>
      <p class="hint">{say.applyHint}</p>
    </form>
  );
}

/** Quality over cost: a table, of which the script makes a plot. */
function Curve({ view, replay }: InView<{ replay: Replay }>) {
  const say = view.say(routingMessages);
  const rows = replay.curve.toSorted((one, other) => one.costShare - other.costShare);
  const value = (share: number | undefined) =>
    share === undefined
      ? <data class="muted" value="">–</data>
      : <data class="number" value={share}>{ui.percentText(share, 1)}</data>;
  return (
    <>
      <figure class="plot curve">
        <figcaption>{say.curve}</figcaption>
        <div class="plot-place" role="img" aria-label={say.curveSummary} data-curve="" hidden></div>
      </figure>
      <details class="numbers">
        <summary>{say.asTable}</summary>
        <ui.Sheet<Replay["curve"][number]>
          name="curve"
          caption={say.curveCaption}
          rows={rows}
          columns={[
            ui.column(say.position, ({ dial }) => dialText(dial), { isHeader: true }),
            ui.endColumn(say.costShare, ({ costShare }) => value(costShare)),
            ui.endColumn(say.quality, ({ quality }) => value(quality?.p)),
          ]}
        />
      </details>
    </>
  );
}
