/**
 * Pictures of every page, light and dark, wide and narrow, in English and Chinese, to look at:
 * `deno task console:shots [folder] [name ...]`.
 *
 * @module
 */

import { join } from "@std/path";
import { ConsoleVisit, launch, type Look } from "./browser.ts";
import type { Visit } from "./visit.ts";
import { VISITS } from "./visits.ts";

const [folder = "dist/screenshots", ...names] = Deno.args;

const LOOKS: readonly Look[] = (["wide", "narrow"] as const).flatMap((size) =>
  (["light", "dark"] as const).flatMap((colours) =>
    (["en", "zh"] as const).map((language) => ({ size, colours, language }))
  )
);

async function picture(console: ConsoleVisit, look: Look, visits: readonly Visit[]): Promise<void> {
  const signedIn = await console.signedIn("", look);
  const stranger = await console.stranger(look);
  for (const { name, path, isPublic } of visits) {
    const page = isPublic ? stranger : signedIn;
    await page.goto(console.url(path));
    const file = `${name}-${look.size}-${look.colours}-${look.language}.png`;
    await page.screenshot({ path: join(folder, file), fullPage: true });
  }
  await signedIn.context().close();
  await stranger.context().close();
}

if (import.meta.main) {
  await Deno.mkdir(folder, { recursive: true });
  await using browser = await launch();
  await using visit = await ConsoleVisit.start(browser);
  for (const { prepare } of VISITS) await prepare?.(visit.service);
  const wanted = VISITS.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const look of LOOKS) await picture(visit, look, wanted);
  console.log(`${LOOKS.length * wanted.length} pictures are in ${folder}`);
  for (const complaint of visit.complaints) console.error(complaint);
}
