import { DETECTED_VARIABLES, detectUpstreams } from "../config/detect_upstreams.ts";
import { missingSearchVariable, missingSearchVariableText } from "../config/missing_credentials.ts";
import type { CatalogContent } from "../domain/catalog/catalog.ts";
import { readCatalogText } from "../service/seed_catalog.ts";
import { failure, type Finding, ok, warning } from "./finding.ts";
import { reasonOf } from "../system/reason.ts";
import type { DoctorContext } from "./context.ts";

/** The configuration with its findings. */
export interface ReadConfiguration {
  readonly findings: Finding[];
  /** The catalog that an empty store would begin with. */
  readonly content: CatalogContent | undefined;
  /** The catalog of the configuration file, if there is one. */
  readonly file?: CatalogContent | undefined;
}

/** Checks the configuration file, and the catalog that it, or the environment, makes. */
export async function configurationFindings(
  { settings, env, nowMs }: DoctorContext,
): Promise<ReadConfiguration> {
  const { configPath } = settings;
  let content: CatalogContent | undefined;
  let notices: readonly string[] = [];
  try {
    const config = await readCatalogText(settings);
    content = config?.content;
    notices = config?.notices ?? [];
  } catch (error) {
    const advice = `correct "${configPath}"; \`svc catalog check --file\` checks it`;
    return { findings: [failure("configuration", reasonOf(error), advice)], content: undefined };
  }
  if (content === undefined) {
    const variables = Object.fromEntries(DETECTED_VARIABLES.map((name) => [name, env(name)]));
    const detected = await detectUpstreams(variables, { nowMs });
    const isSimulator = detected.content.upstreams.every(({ kind }) => kind === "simulator");
    const finding = isSimulator
      ? warning(
        "configuration",
        "There is none, and no provider's key: a new store would answer with the simulator",
        "set a provider's key or write svc.json",
      )
      : ok("configuration", `None; ${detected.sentence}`);
    return { findings: [finding], content: detected.content };
  }
  const { upstreams, models, search } = content;
  const counts = `${upstreams.length} upstreams, ${models.length} models`;
  const findings = [ok("configuration", `"${configPath}" is valid: ${counts}`)];
  for (const notice of notices) {
    findings.push(warning("configuration", notice, `edit "${configPath}"`));
  }
  if ([...upstreams, ...search === undefined ? [] : [search]].some(hasInlineKey)) {
    const message = "The file contains a provider's key, and so do the store and its history";
    findings.push(warning("configuration", message, "name a variable by apiKeyEnv instead"));
  }
  const variable = missingSearchVariable(search, env);
  if (variable !== undefined) {
    const message = missingSearchVariableText(variable);
    findings.push(warning("search", message, `set ${variable} in the environment of the service`));
  }
  return { findings, content, file: content };
}

function hasInlineKey(upstream: object): boolean {
  const key = "apiKey" in upstream ? upstream.apiKey : undefined;
  return typeof key === "string" && key !== "none";
}
