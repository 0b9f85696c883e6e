import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { ServiceFault } from "../domain/fault.ts";
import { inputItemsPage, type InputItemsQuery, inputItemsQuery } from "./input_items.ts";
import { INCLUDABLE } from "./schemas/stored_responses.ts";

function queryOf(text: string) {
  return inputItemsQuery(new URLSearchParams(text));
}

function idsOf(page: string): string[] {
  return JSON.parse(page).data.map(({ id }: { id: string }) => id);
}

Deno.test("inputItemsQuery() fills in defaults and ignores what it does not know", () => {
  const defaults: InputItemsQuery = { limit: "20", order: "desc", include: [] };
  assertEquals(queryOf(""), defaults);
  assertEquals(queryOf("limits=1&before=x&__proto__=1"), defaults);
  assertEquals(queryOf("limit=100&order=asc&after=msg_1"), {
    limit: "100",
    order: "asc",
    after: "msg_1",
    include: [],
  });
  const all = INCLUDABLE.map((name, at) => `${at % 2 === 0 ? "include" : "include[]"}=${name}`);
  assertEquals(queryOf(all.join("&")).include?.toSorted(), [...INCLUDABLE].sort());
});

const BAD: [string, string][] = [
  ["limit=0", "limit"],
  ["limit=101", "limit"],
  ["limit=-1", "limit"],
  ["limit=1.0", "limit"],
  ["limit=%201", "limit"],
  ["limit=1e1", "limit"],
  ["limit=", "limit"],
  ["limit=1&limit=2", "limit"],
  ["order=ASC", "order"],
  ["order=", "order"],
  ["order=asc&order=asc", "order"],
  ["after=a&after=b", "after"],
  ["include=everything", "include.0"],
  ["include=message.output_text.logprobs&include[]=", "include.1"],
];

for (const [text, param] of BAD) {
  Deno.test(`inputItemsQuery() refuses ${text}`, () => {
    const fault = assertThrows(() => queryOf(text), ServiceFault);
    assertEquals([fault.code, fault.param], ["invalid_request", param]);
  });
}

Deno.test("inputItemsPage() keeps the bytes of items", () => {
  const input = ['{ "id" : "a", "n": 1.0, "big": 12345678901234567890 }', '{"i\\u0064":"\\u0062"}'];
  assertEquals(
    inputItemsPage(input, queryOf("order=asc")),
    `{"object":"list","data":[${input.join()}],"first_id":"a","last_id":"b","has_more":false}`,
  );
  assertEquals(
    inputItemsPage([], queryOf("")),
    '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}',
  );
});

Deno.test("inputItemsPage() refuses to begin after what is not there", () => {
  for (const after of ["", "b", "A"]) {
    const fault = assertThrows(
      () => inputItemsPage(['{"id":"a"}'], queryOf(`after=${after}`)),
      ServiceFault,
    );
    assertEquals([fault.code, fault.param], ["invalid_request", "after"]);
  }
});

Deno.test("inputItemsPage() shows every item once, page after page", () => {
  const pages = fc.record({
    count: fc.integer({ min: 0, max: 45 }),
    limit: fc.integer({ min: 1, max: 20 }),
    order: fc.constantFrom("asc", "desc"),
  });
  fc.assert(fc.property(pages, ({ count, limit, order }) => {
    const ids = Array.from({ length: count }, (_, n) => `msg_${n}`);
    const input = ids.map((id) => JSON.stringify({ id }));
    const seen: string[] = [];
    let next = "";
    for (let page = 0; page <= count; page++) {
      const text = inputItemsPage(input, queryOf(`limit=${limit}&order=${order}${next}`));
      const { has_more, last_id } = JSON.parse(text);
      seen.push(...idsOf(text));
      if (!has_more) break;
      next = `&after=${last_id}`;
    }
    assertEquals(seen, order === "asc" ? ids : ids.toReversed());
  }));
});

Deno.test("inputItemsPage() comes to an end where items share an id", () => {
  const input = ["a", "b", "a", "c", "a"].map((id) => JSON.stringify({ id }));
  let pages = 0;
  for (let next = "";; pages++) {
    const { has_more, last_id } = JSON.parse(inputItemsPage(input, queryOf(`limit=1${next}`)));
    if (!has_more) break;
    next = `&after=${last_id}`;
    assertEquals(pages < 5, true, "more pages than items");
  }
});
