import type { CopyStoreOptions, StoreCopy } from "../../store_copy/copy_store.ts";
import { shownPlace, type StorePlace, storePlaceOf } from "../../system/store_place.ts";
import type { Call, Command, Output } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { facts } from "../output/table.ts";

/** `svc store copy`: it works on stores that no service has open. */
export const storeCommands: readonly Command[] = [
  {
    words: "store copy",
    required: ["from", "to"],
    summary: "Copy a stopped store into an empty one of any kind, and compare both",
    meanings: { to: "Empty store: a file, or postgres://... (password: PGPASSWORD)" },
    run: copy,
  },
];

async function copy(call: Call): Promise<Output> {
  const [from, to] = [placeOf(call, "from"), placeOf(call, "to")];
  const copied = await run({ from, to, ...teller(call) });
  const { parts, from: source, to: target, leftOut } = copied;
  for (const what of leftOut) call.warn(`Not copied: ${what}`);
  const json = {
    from: shownPlace(from),
    to: shownPlace(to),
    parts: Object.fromEntries(parts.map(({ name, items }) => [name, items])),
    journal: { entries: target.entries, head: target.head, sourceHead: source.head },
    ...{ wallets: target.wallets, leftOut },
  };
  const text = facts([
    ...[["from", shownPlace(from)], ["to", shownPlace(to)]] as const,
    ...parts.map(({ name, items }) => [name, String(items)] as const),
    ["books", "right and equal on both sides"],
    ["wallets", String(target.wallets)],
    ["source head", source.head],
    ["head", target.head],
  ]);
  return { json, text: () => text };
}

async function run(options: CopyStoreOptions): Promise<StoreCopy> {
  const { copyStore } = await import("../../store_copy/copy_store.ts");
  try {
    return await copyStore(options);
  } catch (error) {
    const { StoreError } = await import("../../ports/store_error.ts");
    if (error instanceof StoreError) throw new CliFailure(messageOf(error), { cause: error });
    throw error;
  }
}

/** Returns the message with that of its cause: the driver says why a database cannot be used. */
function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function placeOf(call: Call, option: "from" | "to"): StorePlace {
  const place = storePlaceOf({ store: call.option(option) });
  if (typeof place === "string") throw new UsageError(place);
  if (place.kind === "kv" && place.path === ":memory:") {
    throw new UsageError(`--${option} takes a file or a database, not ":memory:"`);
  }
  return place;
}

/** Time between two lines about one step, in milliseconds. */
const SHOWN_MS = 1_000;

/** Prints a line for each step on standard error, and while it works one each second. */
function teller(call: Call): Pick<CopyStoreOptions, "onProgress"> {
  let step = "";
  let shownAtMs = -Infinity;
  return {
    onProgress: (name, done) => {
      const isDue = performance.now() - shownAtMs >= SHOWN_MS;
      if (call.has("json") || name === step && !isDue) return;
      [step, shownAtMs] = [name, performance.now()];
      call.io.stderr(`${step}: ${done}\n`);
    },
  };
}
