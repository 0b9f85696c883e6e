import { assert, assertMatch } from "@std/assert";
import { withCli } from "../cli_test_support.ts";

const PAINTED = { imageInputPerMTok: "8.25", perImage: "0.01" };

Deno.test("svc models shows what models that draw cost, inside of the screen", async () => {
  await withCli(async ({ admin, run }) => {
    const { catalogs } = admin.deps;
    const { version, updatedAtMs: _, ...content } = catalogs.current();
    const price = { ...PAINTED, inputPerMTok: "5", outputPerMTok: "40", currency: "USD" as const };
    const models = content.models.map((model, at) => at === 0 ? { ...model, price } : model);
    await catalogs.apply({ ...content, models }, { expected: version, note: "", atMs: 0 });
    const { out } = await run("models");
    assertMatch(out, /^MODEL .* OUT \$\/MTOK +\$\/IMAGE +IMAGE IN \$\/MTOK +REASON\n/);
    assertMatch(out, / 5 +40 +0\.01 +8\.25\n/);
    for (const columns of [60, 80, 100, 120]) {
      const narrow = await run("models", { isTerminal: true, columns });
      for (const line of narrow.out.split("\n")) assert(line.length <= columns, line);
    }
  });
});
