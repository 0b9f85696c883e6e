import { assertEquals } from "@std/assert";
import { entryFrom, fieldsFrom } from "./field_values.ts";

const SHAPE = {
  texts: ["name", "price.input", "price.image", "note.en"],
  numbers: ["size"],
  lists: ["tags"],
  choices: ["endpoints"],
  flags: ["disabled"],
  objects: ["note"],
};
const ENTRY = {
  ...{ id: "one", name: "One", size: 0.5, tags: ["a", "b"], endpoints: ["chat"], disabled: true },
  price: { input: "1", other: "2" },
  note: {},
  unknown: [1],
};

Deno.test("an entry has a field for each member of its shape, and returns from them unchanged", () => {
  const fields = fieldsFrom(ENTRY, SHAPE);
  assertEquals(Object.fromEntries(fields), {
    ...{ id: "one", name: "One", size: "0.5", tags: "a, b", endpoints: "chat", disabled: "on" },
    ...{ "price.input": "1", "price.image": "", "note.en": "" },
  });
  assertEquals(entryFrom(fields, SHAPE, ENTRY), ENTRY);
});

Deno.test("an empty field leaves its member out, and its object unless the shape requires it", () => {
  const fields = new URLSearchParams({ id: " two ", name: " ", size: "1,5", tags: "a，b\nc, " });
  assertEquals(entryFrom(fields, SHAPE, undefined), {
    ...{ id: "two", size: "1,5", tags: ["a", "b", "c"], endpoints: [], disabled: false, note: {} },
  });
  assertEquals(entryFrom(fields, SHAPE, ENTRY).price, undefined);
});

Deno.test("an entry keeps its id and the members that no field is for", () => {
  const fields = new URLSearchParams({ id: "two", "price.image": "3" });
  const { id, unknown, price } = entryFrom(fields, SHAPE, ENTRY);
  assertEquals({ id, unknown, price }, {
    id: "one",
    unknown: [1],
    price: { other: "2", image: "3" },
  });
});
