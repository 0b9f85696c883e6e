import { fromFileUrl } from "@std/path";

/** True when Node is installed. */
export async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Runs a script of `node:test` on Node, which cannot read TypeScript: it finds a module, and all that
 * this needs, in one JavaScript module whose address is in the environment variable `BUNDLE`. Fails
 * with what Node wrote. Both are named as they stand beside this file.
 */
export async function runOnNode(module: string, script: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  const pathOf = (name: string) => fromFileUrl(new URL(name, import.meta.url));
  try {
    const bundle = `${folder}/bundle.mjs`;
    const args = ["bundle", "--quiet", "--platform=deno", "-o", bundle, pathOf(module)];
    await run(Deno.execPath(), { args });
    await run("node", {
      args: ["--test", "--test-timeout=60000", pathOf(script)],
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
