import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import { modelHref } from "../catalog/addresses.ts";
import type { CatalogModel } from "../catalog/content.ts";
import { upstreamMessages } from "./messages.ts";

/** Names that are shown: what is probed is on no page of its own, so they come at once. */
const OFFERED_MAX = 500;

/** The answer of an upstream to a request for its models. */
export interface Probed {
  readonly names: readonly string[];
  readonly ms: number;
}

/** Asks an upstream for its models; with an answer, shows it, or what to do about its failure. */
export function ProbePanel({ view, id, probed, models }: InView<{
  id: string;
  probed: Probed | Refusal | undefined;
  models: readonly CatalogModel[];
}>) {
  const say = view.say(upstreamMessages);
  return (
    <ui.Panel
      title={say.probeTitle}
      actions={
        <form method="post">
          <button type="submit" class="button">{say.probe}</button>
        </form>
      }
    >
      {probed === undefined
        ? <p class="hint">{say.probeHint}</p>
        : "names" in probed
        ? <Offered view={view} id={id} probed={probed} models={models} />
        : <Failed view={view} refusal={probed} />}
    </ui.Panel>
  );
}

function Failed({ view, refusal }: InView<{ refusal: Refusal }>) {
  const { whatToDo } = view.say(upstreamMessages);
  const advice = Object.entries(whatToDo).find(([code]) => code === refusal.code)?.[1];
  return (
    <ui.Notice kind="problem">
      <p>{ui.shownText(refusal.message)}</p>
      {advice !== undefined && <p>{advice}</p>}
    </ui.Notice>
  );
}

function Offered({ view, id, probed, models }: InView<{
  id: string;
  probed: Probed;
  models: readonly CatalogModel[];
}>) {
  const say = view.say(upstreamMessages);
  const { names, ms } = probed;
  const known = (name: string) => models.filter(({ upstreamModel }) => upstreamModel === name);
  const address = (name: string) =>
    `/console/catalog/model/new?${new URLSearchParams({ upstream: id, model: name })}`;
  return (
    <>
      <ui.Notice kind="done">{say.answered(names.length, ms)}</ui.Notice>
      {names.length > 0 && (
        <ui.Sheet<string>
          caption={say.offered}
          rows={names.slice(0, OFFERED_MAX)}
          columns={[
            ui.column(say.offeredName, (name) => <code>{ui.shownText(name)}</code>, {
              isHeader: true,
            }),
            ui.column(say.inCatalog, (name) => {
              const matches = known(name);
              if (matches.length > 0) {
                return matches.map((each) => (
                  <div key={each.id}>
                    <a href={modelHref(each.id)}>{each.id}</a>
                  </div>
                ));
              }
              return (
                <a href={address(name)}>
                  {say.addModel} <span class="unseen">{ui.shownText(name)}</span>
                </a>
              );
            }),
          ]}
        />
      )}
      {names.length > OFFERED_MAX && (
        <p class="hint">{say.moreOffered(names.length - OFFERED_MAX)}</p>
      )}
    </>
  );
}
