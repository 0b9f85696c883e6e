/**
 * Cases of the contracts, each in front of a separate server.
 *
 * @module
 */

import type { UpstreamConfig } from "../../gateway/domain/catalog/catalog.ts";
import { JPEG } from "../../gateway/images/image_fixture.ts";
import type { Clock } from "../../gateway/ports/clock.ts";
import type { FetchImage } from "../../gateway/ports/fetch_image.ts";
import type { Upstream } from "../../gateway/ports/upstream.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import { createUpstream } from "../../gateway/upstreams/factory.ts";
import { FakeUpstream, type Step, streamHead } from "../fixtures/fake_upstream.ts";
import type { Wire } from "../fixtures/upstreams/wire.ts";

/** Makes an upstream against a server; the settings are to be taken over. */
export type OpenUpstream = (
  baseUrl: string,
  settings: Partial<UpstreamConfig>,
  more?: { readonly clock?: Clock; readonly fetchImage?: FetchImage | undefined },
) => Upstream;

/** An upstream in front of its server, with the addresses that were fetched for it. */
export interface Stage {
  readonly fake: FakeUpstream;
  readonly upstream: Upstream;
  readonly fetched: readonly string[];
}

/** Declares a case: a sentence and its proof. */
export type StagedCase = (
  sentence: string,
  prove: (stage: Stage) => Promise<void>,
  timeouts?: Partial<UpstreamConfig["timeouts"]>,
) => void;

/** Long enough for whatever does not wait. */
export const TIMEOUTS = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 };

/** Opens upstreams of a kind as the service does. */
export function openingOf(
  kind: string,
  own: Partial<UpstreamConfig> = {},
): OpenUpstream {
  const env = (name: string) => name.startsWith("LAB_") ? `${name}-0123456789` : undefined;
  return (baseUrl, settings, { clock = systemClock, fetchImage } = {}) =>
    createUpstream({
      id: "lab",
      kind,
      provider: "lab",
      baseUrl,
      apiKey: "sk-operator-0123456789",
      maxInFlight: 20,
      onDisconnect: "cancel",
      timeouts: TIMEOUTS,
      ...own,
      ...settings,
    }, { clock, env, fetchImage });
}

/** Returns the cases of a subject. */
export function casesOf(name: string, open: OpenUpstream): StagedCase {
  return (sentence, prove, timeouts = {}) =>
    Deno.test(`${name}: ${sentence}`, async () => {
      await using fake = new FakeUpstream();
      const fetched: string[] = [];
      const fetchImage: FetchImage = (url) => {
        fetched.push(url);
        return Promise.resolve({ mediaType: "image/jpeg", bytes: JPEG });
      };
      const settings = { timeouts: { ...TIMEOUTS, ...timeouts } };
      const upstream = open(fake.baseUrl, settings, { clock: fake.clock, fetchImage });
      try {
        await prove({ fake, upstream, fetched });
      } finally {
        upstream.close();
      }
    });
}

/** Returns the head of a provider's streams. */
export function headOf({ streamType = "text/event-stream" }: Pick<Wire, "streamType">): Step {
  return streamHead({ "content-type": streamType });
}
