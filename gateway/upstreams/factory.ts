import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchImage } from "../ports/fetch_image.ts";
import type { Upstream } from "../ports/upstream.ts";
import { addressOf } from "./ai_sdk/address.ts";
import { credentialsOf } from "./ai_sdk/credentials.ts";
import { OnDemandUpstream } from "./on_demand.ts";
import { OpenAICompatibleUpstream } from "./openai_compatible/mod.ts";

/** What upstreams need of their surroundings. */
export interface UpstreamDeps {
  /** Measures time limits. */
  readonly clock: Clock;
  /** Looks an environment variable up: providers' keys and proxies. */
  readonly env: (name: string) => string | undefined;
  /** Fetches the images that callers point to. @default {from public addresses alone} */
  readonly fetchImage?: FetchImage | undefined;
}

/** Loaded with the first image that is fetched: the platform's `node:http` takes some megabytes. */
const guardedFetch: FetchImage = async (url, signal) => {
  const { createGuardedFetch } = await import("../guarded_fetch/mod.ts");
  return await createGuardedFetch()(url, signal);
};

/** Makes the upstream that a configuration asks for. Throws a `TypeError` where it cannot work. */
export function createUpstream(config: UpstreamConfig, given: UpstreamDeps): Upstream {
  const deps = { ...given, fetchImage: given.fetchImage ?? guardedFetch };
  switch (config.kind) {
    case "openai":
    case "openai-compatible":
      return new OpenAICompatibleUpstream(config, deps);
    case "simulator":
      return new OnDemandUpstream(config.id, async () => {
        const { createSimulator } = await import("./simulator/mod.ts");
        return createSimulator(config, deps);
      });
    default:
      // What cannot be reached is refused now, not with its first call.
      addressOf(config, credentialsOf(config, { env: deps.env, readFile: Deno.readTextFile }));
      return new OnDemandUpstream(config.id, async () => {
        const { AiSdkUpstream } = await import("./ai_sdk/mod.ts");
        return new AiSdkUpstream(config, deps);
      });
  }
}
