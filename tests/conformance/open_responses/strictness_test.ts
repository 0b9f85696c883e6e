/**
 * The schemas that judge our responses let nothing pass: in every resource and event of a real answer,
 * a member too few or too many fails.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { ZodType } from "zod";
import { responseEventSchema } from "../../../gateway/http/schemas/responses_events.ts";
import { responseSchema } from "../../../gateway/http/schemas/responses_resource.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { readResponseEvents } from "./event_rules.ts";
import { CHAT, NATIVE } from "./routes.ts";

type Fields = Record<string, unknown>;

/** Members that may be absent, and members of the caller's, which may have more. */
const OPTIONAL = /\.(metadata|routing|billing|output_limit|not_carried|status|description|strict)$/;
const OPEN = /\.(tools\.\d+|parameters(\..*)?|text(\..*)?|metadata|reasoning)$/;

/** Every object in a value, by its path. */
function objectsOf(value: unknown, path = ""): [string, Fields][] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, one]) => objectsOf(one, `${path}.${name}`));
  return Array.isArray(value) ? inner : [[path, Object(value)], ...inner];
}

/** Paths of the members whose absence goes unnoticed, and of objects that take a member more. */
function unnoticed(schema: ZodType, value: unknown): string[] {
  assertEquals(schema.safeParse(value).error, undefined);
  const paths: string[] = [];
  for (const [path] of objectsOf(value)) {
    const change = (act: (object: Fields) => void): boolean => {
      const copy = structuredClone(value);
      const entry = objectsOf(copy).find(([one]) => one === path);
      assert(entry !== undefined);
      act(entry[1]);
      return schema.safeParse(copy).success;
    };
    if (!OPEN.test(path) && change((object) => void (object["odd"] = { x: 1 }))) {
      paths.push(`${path}+`);
    }
    const object = objectsOf(value).find(([one]) => one === path)?.[1] ?? {};
    for (const name of Object.keys(object)) {
      const member = `${path}.${name}`;
      const isOpen = OPTIONAL.test(member) || OPEN.test(path);
      if (!isOpen && change((object) => void delete object[name])) paths.push(member);
    }
  }
  return paths;
}

for (const plan of [NATIVE, CHAT]) {
  for (const kind of ["text", "parallel", "length"] as const) {
    Deno.test(`strict schemas, ${plan.name}, ${kind}: a member too few or too many fails`, async () => {
      await using route = await plan.start();
      const request = {
        input: "Hi",
        metadata: { mine: "own" },
        tools: [{ type: "function", name: "get_weather", parameters: {}, strict: false }],
      };
      route.prepare(kind, false);
      const resource = await (await postResponse(route.service, request)).json();
      assertEquals(unnoticed(responseSchema, resource), []);
      route.prepare(kind, true);
      const events = await readResponseEvents(
        await postResponse(route.service, { ...request, stream: true }),
      );
      const seen = new Set<string>();
      for (const event of events) {
        if (seen.has(event.type)) continue;
        seen.add(event.type);
        assertEquals(unnoticed(responseEventSchema, event), [], event.type);
      }
    });
  }
}
