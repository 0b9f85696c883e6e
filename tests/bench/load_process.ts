/**
 * The load generator as a process of its own: one order a line on standard input, one result a line
 * on standard output.
 *
 * @module
 */

import { TextLineStream } from "@std/streams";
import { drive, type LoadAmount, type LoadRequest } from "./load.ts";

/** One line of input. */
export interface LoadOrder {
  readonly request: LoadRequest;
  readonly amount: LoadAmount;
}

if (import.meta.main) {
  const encoder = new TextEncoder();
  const say = (line: string) => Deno.stdout.writeSync(encoder.encode(`${line}\n`));
  say("ready");
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  for await (const line of lines) {
    const { request, amount } = JSON.parse(line) as LoadOrder;
    say(JSON.stringify(await drive(request, amount)));
  }
}
