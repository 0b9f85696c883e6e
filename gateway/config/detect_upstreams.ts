/**
 * A catalog from the providers' environment variables, for a service without a configuration file.
 *
 * @module
 */

import type { CatalogContent, Model, UpstreamConfig } from "../domain/catalog/catalog.ts";
import { DEFAULT_UPSTREAMS, defaultCatalog, HOST_PRESETS } from "./default_catalog.ts";
import { defaultTiers } from "./default_tiers.ts";
import { parseConfig } from "./parse_config.ts";
import { simulatorCatalog } from "./simulator_catalog.ts";

/** A catalog, and the reason for it. */
export interface Detection {
  readonly content: CatalogContent;
  /** Names the upstreams and the variables, for the operator. */
  readonly sentence: string;
}

const TIMEOUTS = { connectMs: 5_000, firstByteMs: 300_000, idleMs: 60_000 };

/** Names of the variables that {@linkcode detectUpstreams} reads. */
export const DETECTED_VARIABLES: readonly string[] = [
  ...DEFAULT_UPSTREAMS.map((upstream) => upstream.apiKeyEnv),
  ...HOST_PRESETS.map(({ hostEnv }) => hostEnv),
];

/**
 * Returns the default catalog's models of every provider whose variable is set; those of the simulator
 * where none is.
 */
export async function detectUpstreams(
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly nowMs?: number } = {},
): Promise<Detection> {
  const known = defaultCatalog(({ apiKeyEnv }) => Boolean(env[apiKeyEnv]));
  const variables = known.upstreams.map(({ apiKeyEnv }) => apiKeyEnv);
  const upstreams: UpstreamConfig[] = [];
  const models: Model[] = [];
  if (known.upstreams.length > 0) {
    const fileName = "the default catalog";
    const { content } = await parseConfig(JSON.stringify(known), { ...options, fileName });
    upstreams.push(...content.upstreams);
    models.push(...content.models);
  }
  for (const preset of HOST_PRESETS) {
    const upstream = hostUpstream(preset, env[preset.hostEnv]);
    if (upstream === undefined) continue;
    upstreams.push(upstream);
    models.push(...HOST_MODELS.filter((model) => model.upstream === upstream.id));
    variables.push(preset.hostEnv);
  }
  if (upstreams.length === 0) {
    return {
      content: simulatorCatalog(),
      sentence: "No provider key was found, so the embedded simulator answers: " +
        `set ${DETECTED_VARIABLES.join(", ")} or write a configuration file`,
    };
  }
  const names = upstreams.map((upstream) => upstream.provider).join(", ");
  return {
    content: { upstreams, models, tiers: defaultTiers(models) },
    sentence: `Upstreams ${names} with ${models.length} models, found by ${variables.join(", ")}`,
  };
}

/** Returns the upstream at a host, a host and port, or an address. */
function hostUpstream(
  { id, kind, maxInFlight, port }: (typeof HOST_PRESETS)[number],
  host: string | undefined,
): UpstreamConfig | undefined {
  if (!host) return undefined;
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  // A server that listens on every address is called on this machine.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !/^https?:\/\//.test(host)) url.port = port;
  return {
    id,
    kind,
    provider: id,
    baseUrl: `${url.origin}/v1`,
    apiKey: id,
    maxInFlight,
    onDisconnect: "cancel",
    timeouts: TIMEOUTS,
  };
}

/** A popular model; others are named in a configuration file. */
const HOST_MODELS: readonly Model[] = [{
  id: "ollama/llama3.2",
  name: "llama3.2",
  upstream: "ollama",
  upstreamModel: "llama3.2",
  endpoints: ["chat", "responses"],
  quality: 0.35,
  // The server's default, whatever the model could do: longer input is cut silently.
  contextTokens: 4_096,
  maxOutputTokens: 2_048,
  featureTags: ["tools", "json"],
  industryPacks: [],
  sku: "text",
  price: { inputPerMTok: "0", outputPerMTok: "0", currency: "USD" },
  description: { en: "llama3.2 on your own machine", zh: "运行在本机的 llama3.2" },
  disabled: false,
}];
