/**
 * Several services on one PostgreSQL database: what follows a caller, and limits that all share.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";
import { conversationOf } from "../../gateway/domain/requests/features.ts";
import { conversationName } from "../../gateway/flows/plan/conversation_models.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig } from "../fixtures/lab.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { TestService, until } from "../fixtures/service.ts";
import { PLACES, SigningGemini } from "../fixtures/upstreams/signing_gemini.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Services on one database; each call goes to the next one. */
class Services implements AsyncDisposable {
  readonly all: readonly TestService[];
  #turn = 0;

  constructor(all: readonly TestService[]) {
    this.all = all;
  }

  next(): TestService {
    const service = this.all[this.#turn++ % this.all.length];
    assert(service !== undefined);
    return service;
  }

  /** OpenAI's client, each of whose calls goes to another service. */
  client(apiKey: string) {
    const first = this.next();
    return first.client({
      apiKey,
      fetch: (input, init) =>
        fetch(String(input).replace(first.openaiUrl, this.next().openaiUrl), init),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.all) await service[Symbol.asyncDispose]();
  }
}

/** Runs a test with three services on an empty database. */
async function onServices(
  config: unknown,
  test: (services: Services) => Promise<void>,
): Promise<void> {
  server ??= await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  {
    const all: TestService[] = [];
    await using services = new Services(all);
    for (let count = 0; count < 3; count++) {
      all.push(await TestService.start({ config, settings: { store: { kind: "postgres", url } } }));
    }
    await test(services);
  }
  await drop();
}

const PARAMETERS = { type: "object" as const, properties: { city: { type: "string" as const } } };

/** Lets a client call a tool until the model is done; returns the cities that it asked for. */
async function askWeather(services: Services, key: string, stream: boolean): Promise<string[]> {
  const places: string[] = [];
  const getWeather = (written: string) => {
    const { city } = JSON.parse(written);
    places.push(city);
    return `Rain in ${city}`;
  };
  const described = { name: "get_weather", description: "Weather", parameters: PARAMETERS };
  const params = {
    model: "auto",
    messages: [{ role: "user" as const, content: "The weather?" }],
    tools: [{ type: "function" as const, function: { ...described, function: getWeather } }],
  };
  const { completions } = services.client(key).chat;
  const runner = stream
    ? completions.runTools({ ...params, stream: true })
    : completions.runTools(params);
  assertEquals(await runner.finalContent(), "Done");
  return places;
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

const MESSAGES = [{ role: "user", content: "Say hello" }];

/** Returns a new key that every service knows. */
async function newKey({ all: [first] }: Services, policy: KeyPolicy): Promise<string> {
  assert(first !== undefined);
  return (await first.newKey({ policy })).key;
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("signed tool calls reach each turn at another instance", async () => {
    await using gemini = new SigningGemini();
    const more = { upstreamModel: "gemini-3-pro-preview", endpoints: ["chat", "responses"] };
    const baseUrl = gemini.baseUrl("google");
    const config = labConfig({ id: "gemini", baseUrl, upstream: { kind: "google" }, more });
    await onServices(config, async (services) => {
      const key = await newKey(services, {});
      for (const stream of [false, true]) {
        assertEquals(await askWeather(services, key, stream), PLACES);
      }
      assertEquals([gemini.refused, gemini.foreign], [0, 0]);
    });
  });

  Deno.test("a conversation's model reaches the next turn at another instance", async () => {
    await using upstream = new FakeUpstream();
    upstream.otherwise(json(completion()));
    const { baseUrl } = upstream;
    const config = labConfig({ id: "a", baseUrl }, { id: "b", baseUrl });
    await onServices(config, async (services) => {
      const user = { role: "user", content: "Say hello" };
      const turns = [user, { role: "assistant", content: "Hello" }, {
        role: "user",
        content: "On",
      }];
      const answeredBy = async (service: TestService) => {
        assertEquals(await statusOf(service.chat({ messages: turns })), 200);
        return JSON.parse(upstream.last.text).model;
      };
      const [one, two, three] = services.all;
      assert(one !== undefined && two !== undefined && three !== undefined);
      const usual = await answeredBy(one);
      const other = usual === "real-a" ? "b" : "a";
      // Both models are worth the same: the one that answered last comes first.
      const [key] = (await one.running.stores.keys.page({ limit: 1 })).keys;
      assert(key !== undefined);
      const name = conversationName(key.record.id, conversationOf([user]));
      one.running.gateway.conversations.set(name, other);
      await one.running.stores.shared?.memory.written();
      assertEquals(await answeredBy(two), `real-${other}`);
      assertEquals(await answeredBy(three), `real-${other}`);
    });
  });

  Deno.test("the limits of a key hold at all instances together", async () => {
    await onServices(undefined, async (services) => {
      const limited = await newKey(services, { requestsPerMinute: 7 });
      const statuses = await Promise.all(
        Array.from(
          { length: 21 },
          () => statusOf(services.next().chat({ messages: MESSAGES }, { key: limited })),
        ),
      );
      assertEquals(statuses.filter((status) => status === 200).length, 7);
      assertEquals(statuses.filter((status) => status === 429).length, 14);
      const single = await newKey(services, { concurrentRequests: 1 });
      for (let turn = 0; turn < 9; turn++) {
        const answer = services.next().chat({ messages: MESSAGES }, { key: single });
        assertEquals(await statusOf(answer), 200);
      }
      await services.all[0]?.quiet();
    });
  });

  Deno.test("all instances route by the snapshot that one of them publishes", async () => {
    await onServices(undefined, async (services) => {
      for (let turn = 0; turn < 6; turn++) {
        assertEquals(await statusOf(services.next().chat({ messages: MESSAGES })), 200);
      }
      for (const { running } of services.all) await running.gateway.inFlight.idle();
      for (const { running } of services.all) await running.learning.tick();
      await services.all[1]?.running.learning.takeAll();
      const numbers = () => services.all.map(({ running }) => running.learning.newest().number);
      await until(() => numbers().every((number) => number > 0), "all to have a snapshot");
      assertEquals(numbers(), [1, 1, 1]);
      const served = services.all.map(({ running }) => {
        const wallet = running.learning.newest().wallets.get("default");
        const tasks = Object.values(wallet?.statistics.tasks ?? {});
        return tasks.flatMap(({ models }) => Object.values(models))
          .reduce((sum, model) => sum + model.served, 0);
      });
      assertEquals(served, [6, 6, 6]);
    });
  });

  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
