/**
 * The replay through a whole gateway: every request over HTTP, a vote on every answer over HTTP, and
 * snapshots taken by the service's own function.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Catalog } from "../../../gateway/domain/catalog/catalog.ts";
import type { RoutingSnapshot } from "../../../gateway/domain/learning/snapshot.ts";
import type { KeyPolicy } from "../../../gateway/domain/policy/policy.ts";
import { ManualClock, TestService } from "../../fixtures/service.ts";
import { replayConfig, type ReplayedRequest, type ReplayPlan, requestOf } from "./replay_plan.ts";
import { ReplayUpstream } from "./replay_upstream.ts";

/** Time between two requests, in milliseconds: a key may send 120 votes a minute. */
const PACE_MS = 1_000;

/** Results of a replay. */
export interface GatewayReplay {
  readonly results: readonly ReplayedRequest[];
  /** Seeds of the gateway's decisions. */
  readonly seeds: readonly number[];
  /** The gateway's catalog, for an evaluation of the same policy without it. */
  readonly catalog: Catalog;
  /** Credits that the caller was charged. */
  readonly charged: number;
  /** The last snapshot, and the wallet of the requests. */
  readonly snapshot: RoutingSnapshot;
  readonly wallet: string;
}

/** Options of a replay. */
export interface GatewayReplayOptions {
  /** Policy of the caller's key. @default {none} */
  readonly policy?: KeyPolicy;
  /** Settings of `auto` in the catalog. @default {the gateway's own} */
  readonly auto?: Readonly<Record<string, unknown>>;
  /** True when every answer must match its description. @default {true} */
  readonly described?: boolean;
  /** Called after every hundred requests. @default {no call} */
  progress?(requests: number): void;
}

/** Sends all requests of a plan through a gateway, one after the other. */
export async function replayThroughGateway(
  plan: ReplayPlan,
  { policy = {}, auto = {}, described = true, progress }: GatewayReplayOptions = {},
): Promise<GatewayReplay> {
  const clock = new ManualClock();
  await using upstream = new ReplayUpstream(plan);
  const config = replayConfig(plan, { baseUrl: upstream.baseUrl, auto });
  await using service = await TestService.start({ config, clock, described });
  const { key, wallet } = await service.newKey({ policy, credits: "1000000000", tier: "all" });
  const { learning, stores } = service.running;
  const results: ReplayedRequest[] = [];
  const seeds: number[] = [];
  for (const [index, at] of plan.order.entries()) {
    const question = plan.set.questions[at];
    assert(question !== undefined);
    const response = await service.chat({ ...requestOf(plan, question) }, { key });
    const answer = await response.json();
    assertEquals(response.status, 200, JSON.stringify(answer));
    const { request_id: requestId, routing } = answer.metadata;
    const model = plan.set.models.indexOf(routing.model);
    const [cost = 0, quality = 0] = [question.c[model], question.y[model]];
    results.push({ model, cost, quality });
    const logId = await vote(service, { key, requestId, score: quality });
    seeds.push(learning.seedOf(logId));
    clock.advance(PACE_MS);
    if ((index + 1) % plan.snapshotEvery === 0) await learning.take();
    if ((index + 1) % 100 === 0) progress?.(index + 1);
  }
  await service.assertBooks();
  assertEquals(upstream.calls, results.length, "every request is one call");
  const { spent } = await service.wallet(wallet);
  return {
    results,
    seeds,
    catalog: stores.catalogs.current(),
    charged: Number(spent) / 1_000_000,
    snapshot: learning.newest(),
    wallet,
  };
}

/** Votes on an answer; returns the gateway's own id of the request. */
async function vote(
  service: TestService,
  { key, requestId, score }: {
    readonly key: string;
    readonly requestId: string;
    readonly score: number;
  },
): Promise<string> {
  const response = await fetch(`${service.running.publicUrl}/api/v1/feedback`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ request_id: requestId, score }),
  });
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer.data.log_id;
}
