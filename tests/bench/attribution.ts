/**
 * Measures the cost of attribution: calls with eight tags, a user and a safety identifier beside plain
 * ones. The audit log is no part of it: no request of a caller writes there.
 *
 * @module
 */

import { ATTRIBUTED_MARKS, type Finding } from "./marks.ts";
import { expectLine, start } from "./process.ts";
import { type Side, sideBySide } from "./side_by_side.ts";
import { type SideGateway, startSide } from "./side_gateway.ts";

/** Repeated headers arrive as one with commas. */
const TAGS = Array.from({ length: 8 }, (_, at) => `tag${at}=value-${at}`).join(", ");

/** The first is what the others are compared with; the second shows the machine's noise. */
const WAYS: readonly Pick<Side, "name" | "headers" | "members" | "marks">[] = [
  { name: "plain calls" },
  { name: "plain calls, again" },
  {
    name: "eight tags and a user",
    headers: { "x-tag": TAGS },
    members: { user: "user-17", safety_identifier: "person-17" },
    marks: ATTRIBUTED_MARKS,
  },
];

/** Measures all ways, each on a gateway of its own. */
export async function attribution(options: SideGateway): Promise<Finding[]> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(start("tests/bench/upstream_process.ts"));
  const upstreamUrl = await expectLine(upstream, /^http:\S+/);
  const sides: Side[] = [];
  for (const [at, way] of WAYS.entries()) {
    const name = `attribution-${at}`;
    const gateway = stack.use(await startSide(options, { name, upstreamUrl }));
    const url = await expectLine(gateway, /^ +public +(http:\S+)/);
    sides.push({ ...way, url, pid: gateway.pid });
  }
  return await sideBySide("attribution", sides, options);
}
