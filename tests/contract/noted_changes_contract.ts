import { assert, assertEquals, assertRejects } from "@std/assert";
import type { EmbeddingPin } from "../../gateway/domain/policy/embedding_pin.ts";
import { EMPTY_SNAPSHOT } from "../../gateway/domain/learning/snapshot.ts";
import type { EntryOf, States } from "../../gateway/domain/operators/trail.ts";
import { SessionMemory } from "../../gateway/flows/operators/session_memory.ts";
import type { Pass } from "../../gateway/ports/pass_store.ts";
import type { Stores } from "../../gateway/ports/stores.ts";
import { brokenPlace } from "../../gateway/system/trail_check.ts";
import { catalogOf } from "./catalog_store_contract.ts";
import { session } from "./console_session_store_contract.ts";
import type { Opened } from "./contract.ts";
import { key } from "./key_store_contract.ts";
import { credit } from "./ledger_store_contract.ts";
import { begun, incident, target } from "./notice_store_contract.ts";
import { draft } from "./operator_store_contract.ts";
import { embeddedFile, fileOf, vectorStore } from "./passage_store_contract.ts";
import { snapshotAfter } from "./snapshot_store_contract.ts";

/** Stores whose commits can be made to fail. */
export interface BreakableStores {
  readonly stores: Stores;
  /** From now on no commit with an entry of the audit log lands, or each does again. */
  readonly setBroken: (isBroken: boolean) => Promise<void>;
}

/** A change that is stored with its entry. */
interface NotedChange {
  /** Makes what the change needs. */
  readonly prepare?: () => Promise<unknown>;
  readonly change: (options: { readonly entry: EntryOf<unknown> }) => Promise<unknown>;
  /** Changes nothing after the change, as a repeat of it or another attempt. @default {the change} */
  readonly repeat?: NotedChange["change"];
  /** Returns what the change changes. */
  readonly state: () => unknown;
  /** Returns true for the states that the entry is made of. */
  readonly hasStates: (states: States<unknown>) => boolean;
}

/** Kinds of changes by their names, each on the state that those before it leave. */
type NotedChanges = (stores: Stores) => Readonly<Record<string, NotedChange>>;

const moneyAndAccess: NotedChanges = ({ ledger, keys, settings, catalogs }) => {
  const open = { kind: "open", walletId: "w", tier: "basic", atMs: 1 } as const;
  const record = key("key_1", "1.ab").record;
  return {
    "a wallet that is opened": {
      change: (options) => ledger.open(open, options),
      state: () => ledger.wallet("w"),
      hasStates: ({ before, after }) =>
        before === undefined && has(after, { id: "w", credits: 0n }),
    },
    "credits": {
      change: (options) => ledger.credit(credit("op", 5n), options),
      state: () => ledger.wallet("w"),
      hasStates: ({ before, after }) => has(before, { credits: 0n }) && has(after, { credits: 5n }),
    },
    "a setting": {
      prepare: () => settings.set("name", "old"),
      change: (options) => settings.set("name", "new", options),
      state: () => settings.get("name"),
      hasStates: ({ before, after }) => before === "old" && after === "new",
    },
    "a setting that is replaced": {
      change: (options) => settings.replace("other", { from: undefined, to: "new", ...options }),
      state: () => settings.get("other"),
      hasStates: ({ before, after }) => before === undefined && after === "new",
    },
    "a key that is created": {
      change: (options) => keys.create(key("key_1", "1.ab"), options),
      state: async () => [await keys.get("key_1"), await keys.findByDigest("1.ab"), keys.count()],
      hasStates: ({ before, after }) => before === undefined && has(after, { id: "key_1" }),
    },
    "a key that changes": {
      change: (options) => keys.update("key_1", (one) => ({ ...one, status: "revoked" }), options),
      repeat: (options) => keys.update("key_1", (one) => one, options),
      state: async () => [await keys.get("key_1"), await keys.findByDigest("1.ab")],
      hasStates: ({ before, after }) =>
        has(before, record) && has(after, { ...record, status: "revoked" }),
    },
    "a version of the catalog": {
      change: (options) =>
        catalogs.apply(catalogOf(1), { expected: 0, note: "", atMs: 1, ...options }),
      state: async () => [await catalogs.get(1), await catalogs.history(5)],
      hasStates: ({ before, after }) => before === undefined && has(after, { version: 1 }),
    },
  };
};

const settingsOfService: NotedChanges = (stores) => {
  const { embeddingPins: pins, noticeStore: notices } = stores;
  const pin: EmbeddingPin = { lineId: "key_1", model: "m", source: "operator", atMs: 1 };
  return {
    "a pin that is set": {
      change: (options) => pins.replace("key_1", { from: undefined, to: pin, ...options }),
      state: () => pins.get("key_1"),
      hasStates: ({ before, after }) => before === undefined && has(after, { model: "m" }),
    },
    "a pin that is removed": {
      change: (options) => pins.replace("key_1", { from: pin, to: undefined, ...options }),
      repeat: (options) => pins.replace("key_1", { from: undefined, to: undefined, ...options }),
      state: () => pins.get("key_1"),
      hasStates: ({ before, after }) => has(before, { model: "m" }) && after === undefined,
    },
    "a target of notifications": {
      change: (options) => notices.putTarget(target("tgt_1"), options),
      repeat: (options) => notices.removeTarget("tgt_2", options),
      state: () => notices.targets(),
      hasStates: ({ before, after }) => before === undefined && has(after, { id: "tgt_1" }),
    },
    "a delivery that is sent again": {
      prepare: async () => {
        const began = { ...incident("inc_1"), targets: ["tgt_1"] };
        await notices.begin(began, [begun(began)]);
        await notices.record({ ...begun(began), state: "dead" });
      },
      change: (options) => notices.revive(begun(incident("inc_1")), options),
      state: () => notices.deliveries({ limit: 9 }),
      hasStates: ({ before, after }) =>
        has(before, { state: "dead" }) && has(after, { state: "pending" }),
    },
    "a target that is removed": {
      change: (options) => notices.removeTarget("tgt_1", options),
      state: () => notices.targets(),
      hasStates: ({ before, after }) => has(before, { id: "tgt_1" }) && after === undefined,
    },
  };
};

const passesAndSessions: NotedChanges = (stores) => {
  const { passes } = stores;
  const sessions = stores.shared?.consoleSessions ?? new SessionMemory(stores.trailStore);
  const [ever, bounds] = [{ usedAfterMs: 0, beganAfterMs: 0 }, { max: 9, allMax: 1 }];
  const pass: Pass = { kind: "link", keyId: "k", digest: "ab", beganAtMs: 1, endsAtMs: 9 };
  return {
    "a pass of a key's holder": {
      change: (options) => passes.put(pass, { max: 1, ...options }),
      repeat: () => passes.get(pass),
      state: () => passes.get(pass),
      hasStates: ({ before, after }) => before === undefined && has(after, { kind: "link" }),
    },
    "a session that begins": {
      change: (options) => sessions.create(session("one"), { ...ever, ...bounds }, options),
      repeat: (options) => {
        const other = { ...session("two"), actor: { ...session("two").actor, id: "another" } };
        return sessions.create(other, { ...ever, ...bounds }, options);
      },
      state: () => sessions.list(ever),
      hasStates: ({ before, after }) => before === undefined && has(after, { name: "one" }),
    },
    "a session that is ended": {
      change: (options) => sessions.end({ name: "one" }, options),
      state: () => sessions.list(ever),
      hasStates: ({ before, after }) => has(before, { name: "one" }) && after === undefined,
    },
  };
};

const learned: NotedChanges = ({ snapshots }) => {
  const first = snapshotAfter(EMPTY_SNAPSHOT, { wallets: ["w"] });
  return {
    "a snapshot that is frozen": {
      change: (options) => snapshots.freeze(1, options),
      repeat: (options) => snapshots.freeze(1, options),
      state: () => snapshots.frozen(),
      hasStates: ({ before, after }) => before === undefined && after === 1,
    },
    "a snapshot that is frozen no more": {
      change: (options) => snapshots.freeze(undefined, options),
      state: () => snapshots.frozen(),
      hasStates: ({ before, after }) => before === 1 && after === undefined,
    },
    "a snapshot": {
      change: (options) => snapshots.put(first, ["w"], options),
      state: async () => [await snapshots.list(5), await snapshots.latest()],
      hasStates: ({ after }) => has(after, { number: 1 }),
    },
  };
};

const vectorStores: NotedChanges = ({ passages }) => {
  const file = fileOf("vs_a", "file_1", ["text"]);
  const plain = fileOf("vs_a", "file_2", ["text"]);
  const embedded = embeddedFile(plain, { id: "emb_1", dimensions: 2 });
  const ofStore = async () => [passages.stores(), await passages.files("vs_a")];
  return {
    "a vector store": {
      change: (options) => passages.createStore(vectorStore("vs_a"), options),
      repeat: (options) => passages.createStore(vectorStore("vs_b"), { ownerMax: 0, ...options }),
      state: () => passages.stores(),
      hasStates: ({ before, after }) => before === undefined && has(after, { id: "vs_a" }),
    },
    "a file that is removed": {
      prepare: async () => {
        await passages.addFile(file, ["text"]);
      },
      change: (options) => passages.removeFile("vs_a", "file_1", options),
      state: ofStore,
      hasStates: ({ before, after }) => has(before, { id: "file_1" }) && after === undefined,
    },
    "a file that is added": {
      change: (options) => passages.addFile(plain, ["text"], options),
      repeat: (options) => passages.addFile({ ...plain, storeId: "vs_none" }, ["text"], options),
      state: ofStore,
      hasStates: ({ before, after }) => before === undefined && has(after, { id: "file_2" }),
    },
    "a file that is embedded": {
      change: (options) =>
        passages.setEmbeddings(plain, embedded.embeddings, embedded.vectors, options),
      repeat: (options) =>
        passages.setEmbeddings(
          { ...plain, id: "none" },
          embedded.embeddings,
          embedded.vectors,
          options,
        ),
      state: ofStore,
      hasStates: ({ before, after }) =>
        !Object.hasOwn(Object(before), "embeddings") &&
        has(after, { embeddings: embedded.embeddings }),
    },
    "a vector store that is removed": {
      change: (options) => passages.removeStore("vs_a", options),
      state: ofStore,
      hasStates: ({ before, after }) =>
        has(before, { id: "vs_a", files: 1 }) && after === undefined,
    },
  };
};

/** True when a thing has all of some fields. */
function has(thing: unknown, fields: object): boolean {
  const own: ReadonlyMap<string, unknown> = new Map(Object.entries(Object(thing)));
  return Object.entries(fields).every(([name, value]) =>
    typeof value === "object"
      ? JSON.stringify(own.get(name)) === JSON.stringify(value)
      : own.get(name) === value
  );
}

/** Proves of one kind of change that it and its entry are stored at once. */
async function prove(
  { stores, setBroken }: BreakableStores,
  { prepare, change, repeat = change, state, hasStates }: NotedChange,
): Promise<void> {
  const { trailStore } = stores;
  await prepare?.();
  const before = await state();
  const { place } = await trailStore.head();
  const seen: States<unknown>[] = [];
  const entry: EntryOf<unknown> = (states) => {
    seen.push(states);
    return draft(1, { stage: "done" });
  };
  const unmade = new Error("No entry can be made");
  const failing = () => change({ entry: () => fail(unmade) });
  await assertRejects(failing);
  assertEquals(await state(), before, "Without its entry it is not made");
  await setBroken(true);
  await assertRejects(() => change({ entry }));
  await setBroken(false);
  assertEquals(await state(), before, "A commit that fails leaves neither");
  assertEquals((await trailStore.head()).place, place);

  seen.length = 0;
  await change({ entry });
  assert(seen.every(hasStates) && seen.length > 0, String(seen.length));
  const after = await state();
  assert(JSON.stringify(textsOf(after)) !== JSON.stringify(textsOf(before)), "It has changed");
  assertEquals((await trailStore.head()).place, place + 1);
  await repeat({ entry });
  assertEquals(await state(), after);
  assertEquals((await trailStore.head()).place, place + 1, "No second entry");
  const { problem, head } = await brokenPlace(trailStore);
  assertEquals([problem, head.entries], [undefined, place + 1]);
}

function fail(error: Error): never {
  throw error;
}

function textsOf(state: unknown): unknown {
  return JSON.parse(
    JSON.stringify([state], (_, value) => typeof value === "bigint" ? `${value}` : value),
  );
}

/** Contract of every store with changes that the audit log notes, on all stores of a gateway. */
export function notedChangesContract(
  name: string,
  open: () => Promise<Opened<BreakableStores>>,
): void {
  Deno.test(`${name}: changes and their entries are stored at once, or neither`, async (test) => {
    const { store, close } = await open();
    try {
      const { stores } = store;
      const changes = {
        ...moneyAndAccess(stores),
        ...settingsOfService(stores),
        ...passesAndSessions(stores),
        ...learned(stores),
        ...vectorStores(stores),
      };
      for (const [kind, change] of Object.entries(changes)) {
        await test.step(kind, () => prove(store, change));
      }
    } finally {
      await close();
    }
  });
}
