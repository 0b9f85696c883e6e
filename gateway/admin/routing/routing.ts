import type { AnswerOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { RoutingSnapshot } from "../../domain/learning/snapshot.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import { ndjson } from "../ndjson.ts";
import type { AdminCall, Handlers } from "../routes.ts";
import { findWallet } from "../wallets/find_wallet.ts";
import { explanationJson } from "./explain.ts";
import { exportLines } from "./export.ts";
import { auditBudgetJson, replayJson } from "./replay.ts";
import { findTask, taskJson, taskListJson } from "./tasks.ts";

type Snapshots = AnswerOf<"GET /routing/snapshots">;

/** Snapshots in a list: more than are stored. */
const SNAPSHOTS_MAX = 500;

/** Handlers of the learned statistics of routing. */
export function routingHandlers(deps: AdminDeps) {
  return {
    "GET /routing/tasks": ({ query }) => taskListJson(query(), deps),
    "GET /routing/tasks/{task}": ({ path }) => taskJson(path.task, deps),
    "GET /routing/requests/{id}": ({ path }) => explanationJson(path.id, deps),
    "GET /routing/snapshots": ({ query }) => {
      query();
      return snapshotsJson(deps);
    },
    "POST /routing/freeze": async (call) => await freeze(call, deps),
    "POST /routing/unfreeze": async ({ body, entry }) => {
      await body();
      await deps.learning.freeze(undefined, { entry: entry(frozenState) });
      return snapshotsJson(deps);
    },
    "POST /routing/reset": async (call) => await reset(call, deps),
    "GET /routing/export": async ({ context, query }) => {
      const { snapshot: number } = query();
      const newest = deps.learning.newest();
      const snapshot = number === undefined || number === newest.number
        ? newest
        : await deps.snapshots.get(number);
      if (snapshot === undefined) throw unknownSnapshot(number);
      return ndjson(context, deps, exportLines(snapshot));
    },
    "GET /routing/replay": ({ query }) => replayJson(query(), deps),
    "GET /routing/audit-budget": ({ query }) => auditBudgetJson(query(), deps),
  } satisfies Partial<Handlers>;
}

async function snapshotsJson({ learning, snapshots }: AdminDeps): Promise<Snapshots> {
  const stored = await snapshots.list(SNAPSHOTS_MAX);
  return {
    inForce: learning.snapshot().number,
    newest: learning.newest().number,
    frozen: await snapshots.frozen() ?? null,
    snapshots: stored.map(({ number, takenAtMs }) => ({ number, takenAt: isoTime(takenAtMs) })),
  };
}

async function freeze(
  { body, entry }: AdminCall<"POST /routing/freeze">,
  deps: AdminDeps,
): Promise<Snapshots> {
  const number = (await body()).snapshot ?? deps.learning.newest().number;
  const options = { entry: entry(frozenState) };
  if (!await deps.learning.freeze(number, options)) throw unknownSnapshot(number);
  return await snapshotsJson(deps);
}

/** Returns the frozen snapshot as the audit log shows it. */
function frozenState(snapshot: number) {
  return { frozen: snapshot };
}

/** Returns the statistics of a snapshot as the audit log shows them. */
function learnedState({ number, wallets }: RoutingSnapshot) {
  const tasks = [...wallets.values()].map(({ statistics }) => Object.keys(statistics.tasks).length);
  const sum = tasks.reduce((total, some) => total + some, 0);
  return { snapshot: number, wallets: wallets.size, tasks: sum };
}

function unknownSnapshot(number: number | undefined): ServiceFault {
  return new ServiceFault("not_found", {
    message: number === 0
      ? "There is no snapshot yet: the first is taken within a minute of the first request"
      : `The snapshot ${number} is not stored`,
    param: "snapshot",
  });
}

async function reset(
  { body, entry }: AdminCall<"POST /routing/reset">,
  deps: AdminDeps,
): Promise<AnswerOf<"POST /routing/reset">> {
  const { wallet, task: text } = await body();
  const { learning, snapshots } = deps;
  if (wallet !== undefined) await findWallet(deps, wallet);
  // A task of the last minute is in no snapshot yet.
  await learning.takeAll();
  const scope = text === undefined
    ? { walletId: wallet }
    : findTask(learning.newest(), text, wallet);
  const forgotten = await learning.forget(scope, { entry: entry(learnedState) });
  return {
    snapshot: forgotten.snapshot.number,
    wallets: forgotten.wallets.length,
    tasks: forgotten.tasks,
    frozen: await snapshots.frozen() ?? null,
  };
}
