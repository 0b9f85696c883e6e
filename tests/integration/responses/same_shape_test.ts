/**
 * One Responses request through five kinds of upstream, as an application sees the answers: the same
 * members, of the same types, whole and streamed, the kinds of events among them.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  CHAT,
  CLAUDE,
  GEMINI,
  NATIVE,
  type RoutePlan,
  SIMULATOR,
} from "../../conformance/open_responses/routes.ts";
import { shapeOf } from "../../fixtures/shape_of.ts";

const ROUTES = [CHAT, CLAUDE, GEMINI, NATIVE, SIMULATOR];
const CALCULATOR = {
  type: "function" as const,
  name: "calculator",
  description: "Reckons",
  strict: false,
  parameters: { type: "object", properties: { expression: { type: "string" } } },
};
const ASKS = {
  text: { input: "Say hello" },
  tool: { input: "What is 2 + 3?", tools: [CALCULATOR] },
};
// What not every provider has: signatures, and what the client makes of nothing.
const OWN = ["extra_content", "parsed_arguments"];

/** Returns the answers of a route: the events of a stream, or the one answer. */
async function answersOf(
  plan: RoutePlan,
  { asks, stream }: { asks: "text" | "tool"; stream: boolean },
): Promise<string[]> {
  await using route = await plan.start();
  route.prepare(asks, stream);
  // The dialect whose metadata has a shape.
  const { responses } = route.service.client({ defaultHeaders: { "X-Dialect": "service" } });
  const params = { model: "auto", ...ASKS[asks] };
  if (!stream) return shapeOf(await responses.create(params), { except: OWN });
  const events = await Array.fromAsync(await responses.create({ ...params, stream: true }));
  return events.flatMap((event) => shapeOf(event, { path: event.type, except: OWN }));
}

for (const asks of ["text", "tool"] as const) {
  for (const stream of [false, true]) {
    const how = stream ? ", streamed" : "";
    Deno.test(`one Responses request, five kinds of upstream, one shape: ${asks}${how}`, async () => {
      const shapes: string[][] = [];
      for (const plan of ROUTES) {
        shapes.push([...new Set(await answersOf(plan, { asks, stream }))].sort());
      }
      const [first, ...others] = shapes;
      assert(first !== undefined && first.length > 50);
      for (const other of others) assertEquals(other, first);
    });
  }
}
