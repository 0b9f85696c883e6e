import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import type { Preview, Reach } from "./answers.ts";
import { formMessages } from "./form_messages.ts";
import { fieldOf } from "./policy_form.ts";

/** Models that are named before the rest is folded away. */
const NAMED = 12;

/**
 * Lists what a policy allows: endpoints, models and tools, and the reasons for those that it leaves
 * out.
 */
export function ReachList({ view, reach }: InView<{ reach: Reach }>) {
  const say = view.say(formMessages);
  const reachable = reach.models.filter(({ endpoints }) => endpoints.length > 0);
  const out = reach.models.filter(({ endpoints }) => endpoints.length === 0);
  const open = reach.endpoints.filter(({ models }) => models.length > 0);
  const [named, more] = [reachable.slice(0, NAMED), reachable.slice(NAMED)];
  return (
    <div class="reach">
      <p class="reach-sum" role="status">
        {reachable.length === 0
          ? <strong>{say.nothing}</strong>
          : say.summary(reachable.length, reach.models.length, open.length, reach.endpoints.length)}
      </p>
      <p>
        {reach.tier === null ? <ui.Badge kind="bad">{say.noTier}</ui.Badge> : (
          <>
            {say.atTier} <ui.Badge kind="neutral">{reach.tier}</ui.Badge>
          </>
        )}
      </p>
      <h3>{say.endpoints}</h3>
      <ul class="plain reach-items">
        {reach.endpoints.map(({ endpoint, models, reason }) => (
          <li>
            <code>{endpoint}</code>{" "}
            <ui.Badge kind={models.length > 0 ? "good" : "neutral"}>
              {models.length > 0 ? say.modelCount(models.length) : say.no}
            </ui.Badge>
            {reason !== null && <span class="hint reason">{reason}</span>}
          </li>
        ))}
      </ul>
      {reachable.length > 0 && <h3>{say.models}</h3>}
      <ModelItems models={named} />
      {more.length > 0 && (
        <details>
          <summary>{say.moreModels(more.length)}</summary>
          <ModelItems models={more} />
        </details>
      )}
      {out.length > 0 && (
        <details>
          <summary>{say.leftOut(out.length)}</summary>
          <ModelItems models={out} />
        </details>
      )}
      <h3>{say.hostedTools}</h3>
      <ul class="plain reach-items">
        {reach.hostedTools.map(({ type, allowed }) => (
          <li>
            <code>{type}</code>{" "}
            <ui.Badge kind={allowed ? "good" : "neutral"}>{allowed ? say.yes : say.no}</ui.Badge>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ModelItems({ models }: { models: Reach["models"] }) {
  if (models.length === 0) return null;
  return (
    <ul class="plain reach-items">
      {models.map(({ id, provider, endpoints, reason }) => (
        <li>
          <code>{id}</code>
          <span class="hint reason">
            {reason ?? `${provider}: ${endpoints.join(", ")}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The answer to a preview of a policy. */
export type PreviewAnswer =
  | { readonly ok: true; readonly value: Preview }
  | { readonly ok: false; readonly refusal: Refusal };

/** The preview of a policy that is not saved; a script replaces its content as the form changes. */
export function PreviewResult({ view, preview }: InView<{ preview: PreviewAnswer }>) {
  const say = view.say(formMessages);
  if (!preview.ok) {
    return (
      <ui.Notice kind="problem">
        <p>{say.cannotPreview}</p>
        <p>{preview.refusal.message}</p>
      </ui.Notice>
    );
  }
  const { expired, wider } = preview.value;
  const names: Readonly<Record<string, string>> = say.fields;
  const widened = [...new Set(wider.map(fieldOf))].map((field) => names[field] ?? field);
  return (
    <>
      {expired && <ui.Notice kind="problem">{say.expired}</ui.Notice>}
      {widened.length > 0 && <ui.Notice kind="problem">{say.wider} {widened.join(", ")}</ui.Notice>}
      <ReachList view={view} reach={preview.value} />
    </>
  );
}
