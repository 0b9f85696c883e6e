/**
 * The database goes away under a service: calls are refused at once and cost nothing, streams flow
 * on and end with their settlement, and all is well when it is back.
 *
 * @module
 */

import { assert, assertEquals, assertLess } from "@std/assert";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { FakeUpstream, json, LAST_CHUNK, sse, streamHead } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { readEvents, readUntil } from "../fixtures/event_stream.ts";
import { TestService, until } from "../fixtures/service.ts";

const bin = await postgresBin();
const USAGE = usage(10, 5);
/** Time in which a refusal must come, in milliseconds: a wait for the database takes far longer. */
const AT_ONCE_MS = 2_000;

interface Scene {
  readonly url: string;
  readonly server: PostgresServer;
  readonly service: TestService;
  readonly upstream: FakeUpstream;
}

async function onDatabase(test: (scene: Scene) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url } = await newDatabase(server);
  await using upstream = new FakeUpstream();
  upstream.otherwise(json(completion({ usage: USAGE })));
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const settings = { store: { kind: "postgres", url } } as const;
  await using service = await TestService.start({ config, settings });
  await test({ url, server, service, upstream });
}

async function withSql(url: string, work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = connect(url, { max: 1 });
  await work(sql);
  await sql.end();
}

function ask({ service }: Scene, stream = false): Promise<Response> {
  return service.chat({ messages: QUESTION, max_completion_tokens: 50, stream });
}

async function answered(scene: Scene): Promise<boolean> {
  const response = await ask(scene);
  await response.body?.cancel();
  return response.status === 200;
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("without its database a service refuses at once, and is back with it", async () => {
    await onDatabase(async (scene) => {
      const { server, service } = scene;
      assert(await answered(scene));
      const before = await service.wallet();
      for (let round = 0; round < 2; round++) {
        await server.stop("immediate");
        const sinceMs = performance.now();
        const responses = await Promise.all(Array.from({ length: 30 }, () => ask(scene)));
        assertLess(performance.now() - sinceMs, AT_ONCE_MS);
        for (const response of responses) {
          const { error } = await response.json();
          assertEquals([response.status, error.code], [503, "store_unavailable"]);
          assert(Number(response.headers.get("retry-after")) > 0);
        }
        const ready = await fetch(`${service.running.publicUrl}/readyz`);
        await ready.body?.cancel();
        assertEquals(ready.status, 503);
        await server.start();
        await until(() => answered(scene), "the service to be back");
      }
      await service.quiet();
      const after = await service.wallet();
      assertEquals([after.held, after.spent - before.spent], [0n, 2n * before.spent]);
    });
  });

  Deno.test("a stream flows on without the database, and ends with its settlement", async () => {
    await onDatabase(async (scene) => {
      const { server, service, upstream } = scene;
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      const [head = streamHead(), ...pieces] = sse(streamed([" one", " two", " three"], USAGE));
      const [role = LAST_CHUNK, one = LAST_CHUNK, two = LAST_CHUNK, ...rest] = pieces;
      upstream.answer([
        ...[head, role, one],
        { until: gates[0].promise },
        two,
        { until: gates[1].promise },
        ...rest,
      ]);
      const response = await ask(scene, true);
      const [texts, whole] = response.body?.tee() ?? [];
      assert(texts !== undefined && whole !== undefined);
      const reader = texts.getReader();
      await readUntil(reader, " one");
      await server.stop("immediate");
      gates[0].resolve();
      await readUntil(reader, " two");
      gates[1].resolve();
      await readUntil(reader, " three");
      const reading = readEvents(new Response(whole));
      await delay(1_000);
      await server.start();
      await reader.cancel();
      const { done, last } = await reading;
      assertEquals([done, last.error], [1, undefined]);
      await service.quiet();
      const { held, spent } = await service.wallet();
      assertEquals([held, spent > 0n], [0n, true]);
    });
  });

  Deno.test("a stream whose settlement finds no database ends with an error, and its bill follows", async () => {
    await onDatabase(async (scene) => {
      const { server, service, upstream } = scene;
      assert(await answered(scene));
      const { spent: charge } = await service.wallet();
      const gate = Promise.withResolvers<void>();
      const [head = streamHead(), role = LAST_CHUNK, one = LAST_CHUNK, ...rest] = sse(
        streamed([" one", " two"], USAGE),
      );
      upstream.answer([...[head, role, one], { until: gate.promise }, ...rest]);
      const response = await ask(scene, true);
      const [texts, whole] = response.body?.tee() ?? [];
      assert(texts !== undefined && whole !== undefined);
      const reader = texts.getReader();
      await readUntil(reader, " one");
      await server.stop("immediate");
      gate.resolve();
      // It is away for as long as the last chunk waits.
      const { done, last } = await readEvents(new Response(whole));
      assertEquals([done, last.error?.code], [0, "store_unavailable"]);
      await reader.cancel();
      await server.start();
      await until(() => answered(scene), "the service to be back");
      await service.quiet();
      const { held, spent } = await service.wallet();
      assertEquals([held, spent], [0n, 3n * charge]);
      await service.assertBooks();
    });
  });

  Deno.test("an instance that another has ended cuts its calls at once, and goes on", async () => {
    await onDatabase(async (scene) => {
      const { service, upstream, url } = scene;
      const gate = Promise.withResolvers<void>();
      const [head = streamHead(), role = LAST_CHUNK, one = LAST_CHUNK, ...rest] = sse(
        streamed([" one", " two"], USAGE),
      );
      upstream.answer([...[head, role, one], { until: gate.promise }, ...rest]);
      const response = await ask(scene, true);
      const [texts, whole] = response.body?.tee() ?? [];
      assert(texts !== undefined && whole !== undefined);
      const reader = texts.getReader();
      await readUntil(reader, " one");
      await withSql(url, async (sql) => {
        await sql`update instance set ended_at = clock_timestamp() where ended_at is null`;
      });
      // The upstream sends nothing more.
      const { last } = await readEvents(new Response(whole));
      assertEquals(last.error?.code, "store_unavailable");
      await reader.cancel();
      gate.resolve();
      assert(await answered(scene));
      await service.assertBooks();
    });
  });
}
