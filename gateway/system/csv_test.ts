import { assertEquals } from "@std/assert";
import { csvLine } from "./csv.ts";

Deno.test("csvLine quotes what must be quoted", () => {
  assertEquals(csvLine([]), "\r\n");
  assertEquals(csvLine(["a", "", "b c"]), "a,,b c\r\n");
  assertEquals(
    csvLine(["a,b", 'say "x"', "two\nlines", "cr\r"]),
    '"a,b","say ""x""","two\nlines","cr\r"\r\n',
  );
  assertEquals(csvLine([" padded "]), '" padded "\r\n');
});

Deno.test("csvLine lets no text become a formula, and no number a text", () => {
  const rows: [string, string][] = [
    ["=1+1", "'=1+1"],
    ["+1 555", "'+1 555"],
    ["-1+cmd", "'-1+cmd"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", `"'\t=1"`],
    ["\r=1", `"'\r=1"`],
    ["\n=1", `"'\n=1"`],
    ["\uff1d1", "'\uff1d1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["-0.040000", "-0.040000"],
    ["-7", "-7"],
    ["-7e5", "'-7e5"],
    ["a=1", "a=1"],
  ];
  for (const [text, cell] of rows) assertEquals(csvLine([text]), `${cell}\r\n`, text);
});

Deno.test("csvLine leaves nothing that steers a terminal", () => {
  const hostile = "a\u001b[2J\u009b1mb\u202egnp\u2066\u0000\u{e0041}\ud800";
  assertEquals(csvLine([hostile]), "a?[2J?1mb?gnp????\r\n");
  assertEquals(csvLine(["\u202e=1"]), "?=1\r\n");
});
