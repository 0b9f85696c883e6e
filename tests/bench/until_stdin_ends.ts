/** Ends the process with the one that started it, however that ends. */
export async function untilStdinEnds(): Promise<never> {
  for await (const _ of Deno.stdin.readable);
  Deno.exit(0);
}
