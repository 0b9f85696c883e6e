/**
 * Takes what a gateway exports, and looks at none of it: a collector is another machine's load.
 *
 * @module
 */

import { untilStdinEnds } from "./until_stdin_ends.ts";

if (import.meta.main) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      await request.body?.pipeTo(new WritableStream());
      return new Response();
    },
  );
  console.log(`http://127.0.0.1:${server.addr.port}`);
  await untilStdinEnds();
}
