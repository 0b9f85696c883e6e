import { fromFileUrl } from "@std/path";

/** What is published, and runs on Node too. */
export type PublishedRoom = "tools" | "sdk";

/** Whether there is a Node here to run anything on. */
export async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Runs a script of `node:test` on Node, which cannot read TypeScript: it finds all of the package in
 * one JavaScript module whose address is in the environment variable `BUNDLE`. Fails with what Node
 * wrote.
 */
export async function runOnNode(room: PublishedRoom, script: URL): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const bundle = `${folder}/${room}.mjs`;
    const source = fromFileUrl(new URL(`../../${room}/mod.ts`, import.meta.url));
    const args = ["bundle", "--quiet", "--platform=deno", "-o", bundle, source];
    await run(Deno.execPath(), { args });
    await run("node", {
      args: ["--test", "--test-timeout=60000", fromFileUrl(script)],
      env: { BUNDLE: `file://${bundle}` },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(program: string, options: Deno.CommandOptions): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(program, options).output();
  if (success) return;
  const [written, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  throw new Error(`${program} failed:\n${written}\n${errors}`);
}
