import { fromFileUrl } from "@std/path";

const TOOLS = new URL("../../tools/mod.ts", import.meta.url);

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
 * Runs a script of `node:test` on Node, which cannot read TypeScript: it finds all of `@svc/tools`
 * in one JavaScript module whose address is in the environment variable `TOOLS`. Fails with what
 * Node wrote.
 */
export async function runOnNode(script: URL): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const bundle = `${folder}/tools.mjs`;
    const args = ["bundle", "--quiet", "--platform=deno", "-o", bundle, fromFileUrl(TOOLS)];
    await run(Deno.execPath(), { args });
    await run("node", {
      args: ["--test", fromFileUrl(script)],
      env: { TOOLS: `file://${bundle}` },
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
