import { assert, assertEquals } from "@std/assert";
import { PROVIDERS } from "../../gateway/upstreams/providers/provider_kinds.ts";
import { HEADING, providerSection } from "./provider_section.ts";

/** Words only: `deno fmt` decides on line ends and the width of columns. */
function words(text: string): string[] {
  return text.replaceAll(/-{3,}/g, "---").trim().split(/\s+/);
}

Deno.test("docs/providers.md states for each provider kind what the code does", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/providers.md", import.meta.url));
  const start = page.indexOf(`\n${HEADING}\n`) + 1;
  assert(start > 0, `docs/providers.md has no section "${HEADING}": run provider_section.ts`);
  const end = page.indexOf("\n## ", start);
  const section = page.slice(start, end < 0 ? undefined : end);
  assertEquals(words(section), words(providerSection()));
});

Deno.test("docs/providers.md has every variable that is detected", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/providers.md", import.meta.url));
  const presets = PROVIDERS.flatMap(({ presets = [] }) => presets);
  const variables = presets.map((preset) =>
    "hostEnv" in preset ? preset.hostEnv : preset.apiKeyEnv
  );
  const table = page.slice(0, page.indexOf("Each variable brings"));
  const named = table.match(/^\| `.*$/gm)?.join("").match(/`[A-Z_]+`/g) ?? [];
  assertEquals(named.toSorted(), variables.map((name) => `\`${name}\``).toSorted());
});
