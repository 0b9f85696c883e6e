import { assertEquals } from "@std/assert";
import type { SettingsStore } from "../../gateway/ports/settings_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

const CLAUSES: Clauses<SettingsStore> = {
  "a setting is written, once where asked": async (settings) => {
    assertEquals(await settings.get("pepper"), undefined);
    const both = await Promise.all([
      settings.setOnce("pepper", "a"),
      settings.setOnce("pepper", "b"),
    ]);
    assertEquals(both, ["a", "a"]);
    await settings.set("pepper", "c\ud800");
    assertEquals(await settings.get("pepper"), "c\ud800");
    assertEquals(await settings.setOnce("pepper", "d"), "c\ud800");
    assertEquals(await settings.get("\ud800"), undefined);
  },
};

/** Contract of every settings store. */
export function settingsStoreContract(name: string, open: Open<SettingsStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
