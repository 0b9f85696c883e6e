import { assertEquals } from "@std/assert";
import { plainName } from "./plain_name.ts";

const PLUGIN: Deno.lint.Plugin = { name: "svc", rules: { "plain-name": plainName } };

/** Returns the names in a source that the rule refuses, in order. */
function refused(source: string): string[] {
  return Deno.lint.runPlugin(PLUGIN, "gateway/a.ts", source)
    .map(({ range }) => source.slice(...range).replace(/[:?=].*/s, "").trim());
}

for (const name of ["found", "asked", "told", "said", "left", "put"]) {
  Deno.test(`plain-name refuses "${name}" wherever a name is declared`, () => {
    const declarations = [
      ...[`const ${name} = 1;`, `let ${name};`, `function ${name}() {}`, `type ${name} = 1;`],
      ...[
        `function f(${name}) {}`,
        `const f = (${name}) => 1;`,
        `const f = function (${name}) {};`,
      ],
      ...[`class A { ${name} = 1; }`, `interface A { ${name}: 1 }`, `interface ${name} {}`],
      ...[`class ${name} {}`, `class A { m(${name}) {} }`, `type F = (${name}: string) => void;`],
      ...[`enum ${name} { a }`, `try { f(); } catch (${name}) { f(); }`],
      ...[`class A { #${name} = 1; }`],
      ...[`class A { constructor(${name}) {} }`, `class A { constructor(readonly ${name}: 1) {} }`],
    ];
    for (const source of declarations) {
      const expected = source.includes("#") ? `#${name}` : name;
      assertEquals(refused(source), [expected], source);
    }
  });
}

Deno.test("plain-name looks into patterns, defaults and rests", () => {
  assertEquals(refused("const { found, a: { told } } = f();"), ["found", "told"]);
  assertEquals(refused("const [said, [left], ...put] = f();"), ["said", "left", "put"]);
  assertEquals(refused("function f({ a: asked = 1, ...found }, told = 2) {}"), [
    ...["asked", "found", "told"],
  ]);
  assertEquals(refused("for (const said of lines) f(said);"), ["said"]);
});

Deno.test("plain-name accepts a new name for a property, and the use of a foreign name", () => {
  for (
    const source of [
      ...["const { found: match } = f();", "const [match] = f.found;", "f({ said: 1, left: 2 });"],
      ...[
        "a.left = b.put(1);",
        "const side = rect.left;",
        "f(found);",
        "import { said } from 'a';",
      ],
    ]
  ) {
    assertEquals(refused(source), [], source);
  }
});

Deno.test("plain-name refuses a method named by a bare participle", () => {
  assertEquals(refused("class A { found() {} get told() { return 1; } #said() {} }").length, 3);
  assertEquals(refused("interface A { left(): void }").length, 1);
});

Deno.test("plain-name accepts a method named by a verb, and wire names in quotes", () => {
  assertEquals(refused("class A { put(value) { f(value); } }"), []);
  assertEquals(refused("interface A { put(value: string): void }"), []);
  assertEquals(refused("const routes = { put() {} };"), []);
  assertEquals(refused('interface Wire { "left": number; readonly "found"?: string }'), []);
  assertEquals(refused('class Wire { "said" = 1; ["told"] = 2; }'), []);
});

Deno.test("plain-name accepts compounds and booleans with a prefix", () => {
  const names = ["wasFound", "isLeft", "keptBytes", "leftOut", "toldText", "output", "inputs"];
  for (const name of names) assertEquals(refused(`const ${name} = 1;`), [], name);
});

Deno.test("plain-name refuses private terms and names the term of the glossary", () => {
  const findings = Deno.lint.runPlugin(
    PLUGIN,
    "gateway/a.ts",
    "class PlaceSearch {}\nfunction othersTurn() {}\ninterface Patient {}\nconst toString = 1;",
  );
  assertEquals(findings.map(({ message, hint }) => `${message}. ${hint}`), [
    '"PlaceSearch" does not say what it is. Use CapacitySearch (docs/glossary.md)',
    '"othersTurn" does not say what it is. Use yieldToEventLoop (docs/glossary.md)',
    '"Patient" does not say what it is. Use DoctorContext (docs/glossary.md)',
  ]);
});
