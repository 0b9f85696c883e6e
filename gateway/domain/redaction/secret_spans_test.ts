import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { readingsOf } from "./readings.ts";
import { secretSpans, withoutSpans, writingsOf } from "./secret_spans.ts";

const SECRET = 'pa-55_w0rd+/="\\x';

/** Ways in which programs and attackers encode a character. */
const DISGUISES: Readonly<Record<string, (char: string) => string>> = {
  none: (char) => char,
  json: (char) => JSON.stringify(char).slice(1, -1),
  "json, every character": (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  "json in json": (char) => `\\\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  "json in json in json": (char) => `\\\\\\\\u00${char.charCodeAt(0).toString(16)}`,
  "a script": (char) => `\\x${char.charCodeAt(0).toString(16)}`,
  address: (char) => `%${char.charCodeAt(0).toString(16)}`,
  "an address in an address": (char) => `%25${char.charCodeAt(0).toString(16).toUpperCase()}`,
  "json in an address": (char) => `%5Cu00${char.charCodeAt(0).toString(16)}`,
  "html by numbers": (char) => `&#${char.charCodeAt(0)};`,
  "html by hexadecimal numbers": (char) => `&#x${char.charCodeAt(0).toString(16)};`,
  "html in json": (char) => `\\u0026#${char.charCodeAt(0)};`,
  wide: (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0),
  "unseen characters between": (char) => `${char}\u200b`,
  "another dash": (char) => char === "-" ? "\u2011" : char,
};

Deno.test("a secret is found in every disguise, and what stands around it is left", () => {
  const writings = writingsOf(SECRET);
  for (const [name, disguise] of Object.entries(DISGUISES)) {
    const written = [...SECRET].map(disguise).join("");
    const text = `So ${written}. {"a":"${written}"} 写`;
    const out = withoutSpans(text, secretSpans(text, { writings }), "#");
    assertEquals(out, 'So #. {"a":"#"} 写', name);
  }
});

Deno.test("a secret is found however the disguises of its characters are mixed", () => {
  // A literal backslash before an escape cannot be told from one of the escape's own.
  const secret = SECRET.replace("\\", "");
  const writings = writingsOf(secret);
  const disguises = fc.array(fc.constantFrom(...Object.values(DISGUISES)), {
    minLength: secret.length,
    maxLength: secret.length,
  });
  fc.assert(fc.property(disguises, (chosen) => {
    const text = `<${[...secret].map((char, at) => chosen[at]?.(char) ?? char).join("")}>`;
    assertEquals(secretSpans(text, { writings }).length, 1, text);
  }));
});

Deno.test("a form is found in every disguise, and its beginning is kept", () => {
  const forms = [/\b(key=)[a-z]{4,}-[0-9]{4,}/g];
  for (const [name, disguise] of Object.entries(DISGUISES)) {
    const [begin, rest] = ["key=", "abcd-1234"].map((part) => [...part].map(disguise).join(""));
    const text = `${begin}${rest} ok`;
    const out = withoutSpans(text, secretSpans(text, { forms }), "#");
    assertEquals(out, `${begin}# ok`, name);
  }
});

Deno.test("every place of a reading is one of the text, in the same order", () => {
  const text = fc.stringMatching(/^(?:\\|%|&|#|;|u|00|2d|25|-|－|写|​|x|n|"){0,60}$/);
  fc.assert(fc.property(text, (written) => {
    for (const { text: read, beginOf } of readingsOf(written)) {
      assertEquals(beginOf(read.length), written.length);
      for (let at = 0; at < read.length; at++) {
        assert(beginOf(at) < beginOf(at + 1), `${written}, ${at}`);
      }
    }
  }));
});

Deno.test("a long text of disguises' beginnings takes time by its length alone", () => {
  // If a form scanned again from each of its characters, this would take hours.
  for (const part of ["\\", "%25", "%", "&#", "&#x0", "\\u00", "\\u002", "－", "\u200b", "&"]) {
    const text = part.repeat(Math.ceil(1_000_000 / part.length));
    assertEquals(secretSpans(text, { writings: writingsOf("never-there") }), []);
  }
});
