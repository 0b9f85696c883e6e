import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { modelHref } from "../catalog/addresses.ts";
import { type CatalogModel, type CatalogUpstream, currentCatalog } from "../catalog/content.ts";
import { catalogMessages } from "../catalog/messages.ts";
import { fact } from "../catalog/model.tsx";
import { StateBadge } from "../catalog/state.tsx";
import { latencyText, type UpstreamState, upstreamStates } from "./answers.ts";
import { missingUpstream, upstreamEditHref } from "./edit.tsx";
import { Failovers, HealthBadge } from "./health.tsx";
import { upstreamMessages } from "./messages.ts";
import { type Probed, ProbePanel } from "./probe.tsx";
import { PLACES, TIMEOUTS, VARIABLES } from "./upstream_form.ts";

/** One upstream: its state, its models, and what it answers when it is asked for its models. */
export const upstreamPage: Page = {
  path: "/upstreams/upstream",
  show: (view) => shown(view, undefined),
  async change(view) {
    const id = view.query.get("id") ?? "";
    const { content } = await currentCatalog(view);
    if (!content.upstreams.some((each) => each.id === id)) return missingUpstream(view, id);
    const beganMs = performance.now();
    const answer = await view.api.call("GET /upstreams/{id}/models", { id });
    const ms = Math.round(performance.now() - beganMs);
    return await shown(view, answer.ok ? { names: answer.value.models, ms } : answer.refusal);
  },
};

async function shown(view: View, probed: Probed | Refusal | undefined): Promise<Shown> {
  const say = view.say(upstreamMessages);
  const id = view.query.get("id") ?? "";
  const [states, { content }] = await Promise.all([upstreamStates(view), currentCatalog(view)]);
  const { upstreams, instance } = states;
  const state = upstreams.find((each) => each.id === id);
  const config = content.upstreams.find((each) => each.id === id);
  if (state === undefined || config === undefined) return missingUpstream(view, id);
  const models = content.models.filter(({ upstream }) => upstream === id);
  return {
    title: id,
    body: (
      <>
        <ui.PageHead
          title={id}
          intro={
            <>
              {ui.shownText(config.provider)}
              {instance !== null && <>{" · "}{say.stateOf(instance)}</>}
            </>
          }
        >
          <a class="button primary" href={upstreamEditHref(id)}>{view.say(catalogMessages).edit}</a>
        </ui.PageHead>
        <Facts view={view} state={state} config={config} />
        <ProbePanel view={view} id={id} probed={probed} models={models} />
        <ui.Panel title={say.models}>
          <Models view={view} state={state} models={models} />
        </ui.Panel>
      </>
    ),
  };
}

function Facts({ view, state, config }: InView<{ state: UpstreamState; config: CatalogUpstream }>) {
  const say = view.say(upstreamMessages);
  const disconnect = Object.entries(say.onDisconnects)
    .find(([known]) => known === config.onDisconnect)?.[1];
  const { minutes, attempts, failures } = state.recent;
  return (
    <section class="panel">
      <ui.DefinitionList
        items={[
          fact(say.state, <HealthBadge view={view} upstream={state} />),
          fact(
            say.inFlight,
            <span class="number">
              <ui.Count value={state.inFlight} /> / <ui.Count value={state.maxInFlight} />
            </span>,
          ),
          fact(say.latency, <span class="number">{latencyText(state)}</span>),
          fact(
            say.failures,
            <span class="number">{say.failedLately(failures, attempts, minutes)}</span>,
          ),
          fact(say.failovers, <Failovers view={view} recent={state.recent} />),
          fact(say.kind, config.kind),
          fact(say.address, ui.shownText(config.baseUrl ?? "")),
          ...credentials(view, config),
          ...PLACES.flatMap((name) => named(config[name], say.places[name])),
          fact(say.onDisconnect, disconnect ?? config.onDisconnect),
          ...TIMEOUTS.map((name) => {
            const ms = config.timeouts[name];
            return fact(
              say.timeouts[name],
              ms === undefined ? null : <ui.Count value={ms} unit="ms" />,
            );
          }),
        ]}
      />
    </section>
  );
}

/** Names the sources of an upstream's credentials, never their values. */
function credentials(view: View, config: CatalogUpstream) {
  const say = view.say(upstreamMessages);
  const variables = VARIABLES.flatMap((name) => named(config[name], say.variables[name]));
  if (config.apiKey !== undefined) return [...variables, fact(say.key, say.keyStored)];
  return variables.length === 0 ? [fact(say.key, say.keyNone)] : variables;
}

/** A setting as a line, where there is one. */
function named(value: unknown, term: string) {
  return typeof value === "string" ? [fact(term, <code>{ui.shownText(value)}</code>)] : [];
}

function Models(
  { view, state, models }: InView<{ state: UpstreamState; models: readonly CatalogModel[] }>,
) {
  const say = view.say(upstreamMessages);
  const catalog = view.say(catalogMessages);
  return (
    <ui.DataTable<UpstreamState["models"][number]>
      view={view}
      caption={say.modelCaption}
      rows={state.models}
      href={({ id }) => modelHref(id)}
      columns={[
        ui.column(catalog.id, ({ id }) => id, { id: "id", isHeader: true, sort: ({ id }) => id }),
        ui.column(say.state, (row) => <StateBadge view={view} state={row} isFull />, {
          id: "state",
          sort: ({ status }) => status,
        }),
        ui.column(say.offeredName, ({ id }) => (
          <code>{ui.shownText(models.find((each) => each.id === id)?.upstreamModel ?? "")}</code>
        )),
        ui.endColumn(say.latency, ({ latencyMs }) =>
          latencyMs === null ? "–" : <ui.Count value={Math.round(latencyMs)} unit="ms" />, {
          id: "latency",
          sort: ({ latencyMs }) =>
            latencyMs ?? Infinity,
        }),
      ]}
      empty={<ui.EmptyState title={say.noModels} hint={say.noModelsHint} />}
    />
  );
}
