import type { ModelVerdict, Problem } from "./catalog_verdict.ts";
import type { UpstreamFinding } from "./model_list.ts";

/** Results of a check besides those of the models. */
export interface AdviceContext {
  readonly upstreams: readonly UpstreamFinding[];
  readonly priceList: { readonly ageDays: number; readonly old: boolean };
}

/** Returns one sentence with the steps that fix the problems of a check. */
export function checkAdvice(
  models: readonly ModelVerdict[],
  { upstreams, priceList }: AdviceContext,
): string {
  const wrong = models.filter(({ status }) => status !== "ok");
  const causes = new Set(wrong.flatMap(({ problems }) => problems).map(({ cause }) => cause));
  const steps = [...upstreamSteps(upstreams), ...modelSteps(causes)];
  if (priceList.old) {
    steps.push(`update the gateway, whose price list is ${priceList.ageDays} days old`);
  }
  const count = wrong.length === 0
    ? "The price list is old"
    : `${wrong.length} of ${models.length} models need${wrong.length === 1 ? "s" : ""} attention`;
  return `${count}: ${steps.join("; ")}`;
}

function upstreamSteps(upstreams: readonly UpstreamFinding[]): string[] {
  const named = (...statuses: readonly UpstreamFinding["status"][]) =>
    upstreams.filter(({ status }) => statuses.includes(status));
  const quoted = (findings: readonly UpstreamFinding[]) =>
    findings.map(({ id }) => `"${id}"`).join(", ");
  const variables = new Set(named("no credentials").flatMap(({ variables }) => variables));
  const refused = named("refused");
  const silent = named("timeout", "failed");
  return [
    ...variables.size === 0
      ? []
      : [`set ${[...variables].join(", ")} and restart the gateway, or leave their models out`],
    ...refused.length === 0 ? [] : [`replace the refused key of ${quoted(refused)}`],
    ...silent.length === 0 ? [] : [`see why ${quoted(silent)} cannot be asked`],
  ];
}

function modelSteps(causes: ReadonlySet<Problem["cause"]>): string[] {
  const replaceModels = 'replace or disable ("disabled": true) what is deprecated or not listed';
  const applyPrices = "apply the configuration again with today's prices (svc apply -f FILE)";
  return [
    ...causes.has("gone") ? [replaceModels] : [],
    ...causes.has("price") ? [applyPrices] : [],
  ];
}
