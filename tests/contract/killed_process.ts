/** Longest that a child may take before it is killed all the same, in milliseconds. */
const CHILD_MS = 60_000;

/** Starts a module beside this one in a process of its own, to be killed. */
export function spawnChild(module: string, ...args: string[]): Deno.ChildProcess {
  const url = new URL(module, import.meta.url).href;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-read", "--allow-write", url, ...args],
    stdout: "piped",
    stdin: "null",
  }).spawn();
}

/** Whole lines a process prints until it ends; it is killed, as by `kill -9`, after so many. */
export async function linesUntilKilled(
  child: Deno.ChildProcess,
  lines: number,
): Promise<string[]> {
  const printed: string[] = [];
  let rest = "";
  const deadline = setTimeout(() => child.kill("SIGKILL"), CHILD_MS);
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    const running = printed.length < lines;
    printed.push(...parts);
    if (running && printed.length >= lines) child.kill("SIGKILL");
  }
  await child.status;
  clearTimeout(deadline);
  return printed;
}
