import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchImage } from "../ports/fetch_image.ts";
import type { Upstream } from "../ports/upstream.ts";
import { accountOf } from "./ai_sdk/account.ts";
import { OnDemandUpstream } from "./on_demand_upstream.ts";
import { OpenAICompatibleUpstream } from "./openai_compatible/mod.ts";
import { providerOf } from "./providers/provider_kinds.ts";

/** Dependencies of upstreams. */
export interface UpstreamDeps {
  /** Measures time limits. */
  readonly clock: Clock;
  /** Reads an environment variable: providers' keys and proxies. */
  readonly env: (name: string) => string | undefined;
  /** Fetches images by address. @default {from public addresses only} */
  readonly fetchImage?: FetchImage | undefined;
}

/** Loads its code with the first image: the platform's `node:http` takes some megabytes. */
const guardedFetch: FetchImage = async (url, signal) => {
  const { createGuardedFetch } = await import("../guarded_fetch/mod.ts");
  return await createGuardedFetch()(url, signal);
};

/** Creates the upstream of a configuration. Throws a `TypeError` where it could not be called. */
export function createUpstream(config: UpstreamConfig, context: UpstreamDeps): Upstream {
  const deps = { ...context, fetchImage: context.fetchImage ?? guardedFetch };
  switch (providerOf(config.kind)?.protocol.name) {
    case "openai":
      return new OpenAICompatibleUpstream(config, deps);
    case "simulator":
      return new OnDemandUpstream(config.id, async () => {
        const { createSimulator } = await import("./simulator/mod.ts");
        return createSimulator(config, deps);
      });
    default:
      // An unusable configuration is refused now, not with its first call.
      accountOf(config, { env: deps.env, readFile: Deno.readTextFile });
      return new OnDemandUpstream(config.id, async () => {
        const { AiSdkUpstream } = await import("./ai_sdk/mod.ts");
        return new AiSdkUpstream(config, deps);
      });
  }
}
