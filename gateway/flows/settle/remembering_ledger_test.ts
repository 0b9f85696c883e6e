import { assertEquals } from "@std/assert";
import type { RequestLedger } from "../../ports/ledger_store.ts";
import { rememberingLedger } from "./remembering_ledger.ts";

Deno.test("a settlement and the notes before it are stored side by side, and both are waited for", async () => {
  const begun: string[] = [];
  const stored = Promise.withResolvers<void>();
  const settled = { ok: true, value: {} };
  const inner = {
    settle: () => {
      begun.push("settlement");
      return Promise.resolve(settled);
    },
  } as unknown as RequestLedger;
  const ledger = rememberingLedger(inner, {
    written: () => {
      begun.push("notes");
      return stored.promise;
    },
  });
  let isOver = false;
  const command = {} as unknown as Parameters<RequestLedger["settle"]>[0];
  const settling = ledger.settle(command).finally(() => isOver = true);
  assertEquals(begun, ["settlement", "notes"]);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(isOver, false);
  stored.resolve();
  assertEquals<unknown>(await settling, settled);
});
