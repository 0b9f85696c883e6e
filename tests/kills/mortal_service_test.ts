import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { labConfig } from "../fixtures/lab.ts";
import { until } from "../fixtures/service.ts";
import { MortalService } from "./mortal_service.ts";

// Windows has no signals that end a process.
const NOT_WINDOWS = { ignore: Deno.build.os === "windows" };

async function withService(
  config: unknown,
  test: (service: MortalService) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const service = stack.use(await MortalService.prepare({ folder, config }));
  await test(service);
}

Deno.test("a service that fails to start is detected by a waiting test", async () => {
  await withService({ upstreams: "none" }, async (service) => {
    service.begin();
    await assertRejects(() => service.writing(), Error, "The service ended by itself (code 1)");
    await assertRejects(() => service.ready(), Error, "upstreams");
    await assertRejects(() => service.kill(), Error, "The service ended by itself (code 1)");
    assertEquals(await service.kill(), "");
  });
});

Deno.test("a service that ends without being killed is noticed", NOT_WINDOWS, async () => {
  const config = labConfig({ id: "one", baseUrl: "http://127.0.0.1:9" });
  await withService(config, async (service) => {
    service.begin();
    await service.ready();
    service.assertAlive();
    Deno.kill(service.pid, "SIGTERM");
    await until(() => !service.isAlive, "the service to end");
    const message = "The service ended by itself (code 0)";
    assertThrows(() => service.assertAlive(), Error, message);
    assertThrows(() => service.freeze(), Error, message);
    await assertRejects(() => service.admin("GET", "/wallets"), Error, message);
    await assertRejects(() => service.kill(), Error, message);
    service.begin();
    await service.ready();
    assertEquals((await service.admin("GET", "/wallets")).wallets.length, 1);
  });
});
