import { assertEquals, assertRejects } from "@std/assert";
import { Turns } from "./turns.ts";

const OF_ONE = 8;
const OF_ALL = 64;

/** Turns whose first task, of an owner of its own, runs until the end of the wait. */
function busyTurns() {
  const limits = { ofOne: OF_ONE, ofAll: OF_ALL, refusal: () => new Error("Too many wait") };
  const turns = new Turns(limits);
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = turns.run("first", () => gate.promise);
  const run = (owner: string, name: string, signal?: AbortSignal) =>
    turns.run(owner, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(name);
    }, { signal });
  const end = async () => {
    gate.resolve();
    await first;
  };
  return { run, order, end };
}

Deno.test("owners take turns, and one task runs at a time", async () => {
  const { run, order, end } = busyTurns();
  const all = ["a1", "a2", "a3", "b1", "a4", "c1", "b2"].map((name) => run(name.charAt(0), name));
  await end();
  await Promise.all(all);
  const names = ["a1", "b1", "c1", "a2", "b2", "a3", "a4"];
  assertEquals(order, names.flatMap((name) => [`${name} begins`, name]));
});

Deno.test("a task that fails ends its turn", async () => {
  const turns = new Turns();
  const broken = turns.run("a", () => Promise.reject(new Error("It is broken")));
  const next = turns.run("a", () => Promise.resolve("ended"));
  await assertRejects(() => broken, Error, "It is broken");
  assertEquals(await next, "ended");
  assertEquals(await turns.run("b", () => Promise.resolve("again")), "again");
});

Deno.test("a task whose signal is aborted gives up its place", async () => {
  const { run, order, end } = busyTurns();
  const leaving = new AbortController();
  const gone = run("a", "a1", leaving.signal);
  const others = [run("a", "a2"), run("b", "b1")];
  leaving.abort(new Error("The caller has left"));
  await assertRejects(() => gone, Error, "The caller has left");
  await assertRejects(() => run("a", "a3", leaving.signal), Error, "The caller has left");
  await end();
  await Promise.all(others);
  assertEquals(order.filter((name) => name.length === 2), ["a2", "b1"]);
});

Deno.test("an owner has so many places, and a full line has room for an owner with fewer", async () => {
  const { run, order, end } = busyTurns();
  const refused: string[] = [];
  const add = (owner: string, name: string) =>
    run(owner, name).catch((error) => {
      assertEquals(error.message, "Too many wait");
      refused.push(name);
    });
  const owners = Array.from({ length: OF_ALL / OF_ONE }, (_, at) => `w${at}`);
  const all = owners.flatMap((owner) =>
    Array.from({ length: OF_ONE }, (_, at) => add(owner, `${owner} ${at}`))
  );
  await add("w0", "w0 one too many");
  assertEquals(refused, ["w0 one too many"]);
  const late = add("late", "late 0");
  await Promise.resolve();
  await end();
  await Promise.all([...all, late]);
  assertEquals(refused, ["w0 one too many", "w0 7"]);
  assertEquals(order.filter((name) => !name.includes("begins")).indexOf("late 0"), owners.length);
  assertEquals(order.length, 2 * OF_ALL);
});
