/**
 * The rows that a request writes: learning adds neither a commit nor a row.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { withOpenKv } from "../../contract/faulty_kv.ts";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { completion, labConfig } from "../../fixtures/lab.ts";
import { TestService } from "../../fixtures/service.ts";

/** Commits of a request and the keys that they set, by their first part. */
interface Written {
  commits: number;
  readonly keys: string[];
}

/** Opens a database that notes what is written. */
function notingKv(written: Written): typeof Deno.openKv {
  return async (path) => {
    const kv = await Deno.openKv(path);
    const atomic = kv.atomic.bind(kv);
    kv.atomic = () => {
      const operation = atomic();
      const [set, commit] = [operation.set.bind(operation), operation.commit.bind(operation)];
      operation.set = (key, value, options) => {
        written.keys.push(String(key[0]));
        return set(key, value, options);
      };
      operation.commit = () => {
        written.commits++;
        return commit();
      };
      return operation;
    };
    return kv;
  };
}

Deno.test("a request writes its hold and its settlement in two commits of one row", async () => {
  const written: Written = { commits: 0, keys: [] };
  await using upstream = new FakeUpstream();
  upstream.otherwise(json(completion()));
  const config = labConfig({ id: "one", baseUrl: upstream.baseUrl });
  await using service = await withOpenKv(
    notingKv(written),
    () => TestService.start({ config }),
  );
  const ask = async () => {
    const response = await service.chat({ messages: [{ role: "user", content: "Hi" }] });
    assertEquals(response.status, 200, await response.text());
    await service.quiet();
  };
  // The first request of a process writes rows that later ones have.
  await ask();
  await ask();
  written.commits = written.keys.length = 0;
  await ask();
  assertEquals(written.commits, 2);
  assertEquals(written.keys.toSorted(), EXPECTED);
});

/** Each commit is one row. */
const EXPECTED: readonly string[] = ["commit", "commit"];
