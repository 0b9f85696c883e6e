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

  "one of several replacements of a value takes effect": async (settings) => {
    const replace = (from: string | undefined, to: string) =>
      settings.replace("pepper", { from, to });
    assertEquals(await replace("a", "b"), false);
    assertEquals(await settings.get("pepper"), undefined);
    const first = await Promise.all([replace(undefined, "a"), replace(undefined, "b")]);
    assertEquals(first.filter(Boolean).length, 1);
    const value = await settings.get("pepper");
    const second = await Promise.all([replace(value, "c"), replace(value, "d")]);
    assertEquals(second.filter(Boolean).length, 1);
    assertEquals(await replace(value, "e"), false);
    assertEquals(await settings.get("pepper"), second[0] ? "c" : "d");
  },
};

/** Contract of every settings store. */
export function settingsStoreContract(name: string, open: Open<SettingsStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
