/**
 * The console under the flags of `deno task serve`: its code is loaded, and its files served, by a
 * process that may not read the packages' folder.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ADMIN_TOKEN } from "../fixtures/service.ts";
import { ServiceProcess } from "../fixtures/service_process.ts";

Deno.test("the flags of the task suffice for the console, its scripts and its styles", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const env = { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN };
    await using service = await ServiceProcess.start(join(folder, "svc.kv"), env);
    const { adminUrl } = service;
    const page = await (await fetch(`${adminUrl}/console/sign-in`)).text();
    const [, assets = ""] = /src="(\/console\/assets\/\w+\/)console\.js"/.exec(page) ?? [];
    for (const name of ["console.js", "console.css", "uplot.js", "uplot.css"]) {
      const file = await fetch(adminUrl + assets + name);
      assertEquals([name, file.status, (await file.text()).length > 1_000], [name, 200, true]);
    }
    const signedIn = await fetch(`${adminUrl}/console/sign-in`, {
      method: "POST",
      headers: { origin: adminUrl },
      body: new URLSearchParams({ token: ADMIN_TOKEN }),
      redirect: "manual",
    });
    await signedIn.body?.cancel();
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const headers = { cookie, accept: "text/html" };
    const wallets = await fetch(`${adminUrl}/console/wallets`, { headers });
    assertStringIncludes(await wallets.text(), ">default<");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
