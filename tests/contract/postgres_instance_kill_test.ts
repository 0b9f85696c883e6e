import { assert, assertEquals } from "@std/assert";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { startInstance, type TestInstance } from "../fixtures/postgres_instances.ts";
import { credit, fund } from "./ledger_store_contract.ts";

/** A process with an instance, and the lines that it has printed. */
class Child implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  readonly lines: string[] = [];

  constructor(url: string, run: string) {
    const module = new URL("postgres_instance_child.ts", import.meta.url).href;
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", module, url, run],
      stdout: "piped",
      stdin: "null",
    }).spawn();
    this.#reading = this.#read();
  }

  /** Returns the ids of the lines of a kind. */
  of(kind: string): readonly string[] {
    return this.lines.flatMap((line) =>
      line.startsWith(`${kind} `) ? [line.split(" ")[1] ?? ""] : []
    );
  }

  signal(signal: Deno.Signal): void {
    this.#process.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#reading;
    await this.#process.status;
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      this.lines.push(...parts);
    }
  }
}

/** Resolves once a condition holds; the test's own time limit ends it otherwise. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}

function cleared({ sql }: TestInstance, number: string | undefined): Promise<void> {
  return until(async () => {
    const rows = await sql`select from instance where number = ${number ?? 0} and is_cleared`;
    return rows.length > 0;
  });
}

/** Asserts that each hold ended at most once, and that acknowledged settlements are in the journal. */
async function assertBooks(
  { ledger }: TestInstance,
  children: readonly Child[],
): Promise<void> {
  const ends = new Map<string, bigint>();
  for await (const entry of ledger.entries()) {
    if (entry.op !== "settle" && entry.op !== "expire" && entry.op !== "void") continue;
    assert(!ends.has(entry.id), `hold ${entry.id} ended twice`);
    ends.set(entry.id, entry.op === "settle" ? entry.charged : 0n);
  }
  for (const child of children) {
    for (const id of child.of("settle")) assertEquals(ends.get(id), 3n, id);
    for (const id of child.of("hold_ended")) assert([0n, 2n].includes(ends.get(id) ?? 9n), id);
    for (const id of child.of("hold")) assert(ends.has(id), `hold ${id} is open`);
  }
  const wallet = await ledger.wallet("w");
  const spent = [...ends.values()].reduce((sum, charged) => sum + charged, 0n);
  assertEquals([wallet?.spent, wallet?.held], [spent, 0n]);
}

async function killAndPause(server: PostgresServer): Promise<void> {
  const { url, drop } = await newDatabase(server);
  const watcher = await startInstance(url, { leaseMs: 600_000 });
  await fund(watcher.ledger, 0n);
  await watcher.ledger.credit(credit("seed", 1_000_000_000n));
  const children = ["killed", "paused", "living"].map((run) => new Child(url, run));
  const [killed, paused, living] = children;
  try {
    assert(killed && paused && living);
    await until(() => children.every((child) => child.of("settle").length > 50));
    killed.signal("SIGKILL");
    paused.signal("SIGSTOP");
    await cleared(watcher, killed.of("number")[0]);
    await cleared(watcher, paused.of("number")[0]);
    const settledBefore = paused.of("settle").length;
    paused.signal("SIGCONT");
    await until(() => paused.of("settle").length > settledBefore + 50);
    assertEquals(paused.of("lost"), paused.of("number"));
    assert(paused.of("hold_ended").length > 0, "a late settlement was accepted");
    assertEquals(living.of("lost"), []);
    assertEquals(living.of("hold_ended"), []);
    // The last two die, and an instance that starts then finds their holds.
    await living[Symbol.asyncDispose]();
    await paused[Symbol.asyncDispose]();
    const last = await startInstance(url);
    await until(async () => (await last.ledger.openHolds()).length === 0);
    await assertBooks(last, children);
    await last.close();
  } finally {
    await Promise.allSettled(children.map((child) => child[Symbol.asyncDispose]()));
    await watcher.close();
    await drop();
  }
}

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("an instance that is killed, and one that is paused, leave exact books", async () => {
    await using server = await startPostgres(bin);
    await killAndPause(server);
  });
}
