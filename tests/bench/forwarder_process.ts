/**
 * A gateway that only forwards: the yardstick for the cost of one. JSON is parsed both ways, a stream
 * passes through. Its one argument is the address to forward to.
 *
 * @module
 */

import { untilStdinEnds } from "./until_stdin_ends.ts";

if (import.meta.main) {
  const [upstream = ""] = Deno.args;
  const onListen = ({ port }: Deno.NetAddr) => console.log(`http://127.0.0.1:${port}`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    const body = await request.json();
    const answer = await fetch(upstream + new URL(request.url).pathname, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, model: "bench-1" }),
    });
    const headers = { "content-type": answer.headers.get("content-type") ?? "" };
    if (body.stream === true) return new Response(answer.body, { headers });
    return new Response(JSON.stringify(await answer.json()), { headers });
  });
  await untilStdinEnds();
}
