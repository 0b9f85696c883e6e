import { assert, assertEquals } from "@std/assert";
import { TestService } from "../fixtures/service.ts";

interface Shown {
  readonly id: string;
  readonly recent: {
    readonly attempts: number;
    readonly failures: number;
    readonly failovers: number;
  };
}

Deno.test("an upstream tells how often another model was asked after it had failed", async () => {
  await using service = await TestService.start();
  const messages = [{ role: "user", content: "Hello" }];
  // The first attempt fails, and the next one answers.
  const once = { id: "failover", failures: 1, error: 503 };
  const first = await service.chat({ messages, simulate: once });
  assertEquals((await first.json()).object, "chat.completion");
  const { upstreams } = await service.admin("GET", "/upstreams");
  const [{ recent } = { recent: undefined }] = upstreams as Shown[];
  assertEquals(recent?.failures, 1);
  assertEquals(recent?.failovers, 1);
  // Every attempt fails: after the last of them none was asked.
  const answer = await service.chat({ messages, simulate: { error: 500 } });
  assertEquals((await answer.json()).error.code, "upstream_error");
  const after = (await service.admin("GET", "/upstreams")).upstreams as Shown[];
  const sums = after[0]?.recent;
  assert(sums !== undefined);
  assertEquals(sums.failovers, sums.failures - 1);
});
