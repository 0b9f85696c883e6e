import { assertEquals, assertStringIncludes } from "@std/assert";
import { extractPassages } from "./extract_passages.ts";
import { htmlText } from "./html_text.ts";
import { MAX_HTML_DEPTH } from "./limits.ts";

const encoder = new TextEncoder();

function extract(text: string | Uint8Array, mediaType = "text/plain") {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  return extractPassages({ mediaType, bytes });
}

Deno.test("text comes without control characters, with one kind of line end, without its mark", async () => {
  assertEquals(await extract("\ufeffone\r\ntwo\rthree\u0000\u0007\tfour"), {
    ok: true,
    passages: ["one\ntwo\nthree\tfour"],
  });
});

Deno.test("text in UTF-16 is read if it is marked; content that is not text is refused", async () => {
  const text = new Uint8Array([0xff, 0xfe, 0x6f, 0x71, 0x54, 0x58]);
  assertEquals(await extract(text), { ok: true, passages: ["\u716f\u5854"] });
  const big = new Uint8Array([0xfe, 0xff, 0x70, 0x6f]);
  assertEquals(await extract(big), { ok: true, passages: ["\u706f"] });
  const problem = "it is not UTF-8 text; save it as UTF-8";
  assertEquals(await extract(new Uint8Array([0xc3, 0x28])), { ok: false, problem });
});

Deno.test("a file without text is refused", async () => {
  for (const text of ["", " \n\t ", "\u0001"]) {
    assertEquals(await extract(text), { ok: false, problem: "it has no text" });
  }
  assertEquals(await extract("<script>1</script>", "text/html"), {
    ok: false,
    problem: "it has no text",
  });
});

Deno.test("a file with too much text is refused", async () => {
  const problem = "it has too much text";
  assertEquals(await extract("x ".repeat(9 * 1024 * 1024)), { ok: false, problem });
});

Deno.test("HTML is what a reader sees: a line for each block, entities decoded, nothing hidden", () => {
  assertEquals(
    htmlText(
      "<head><title>T &amp; t</title><style>no</style></head><p>one<br>t<b>w</b>o &lt;3&gt;" +
        "<script>if (a<b) no()</script><ul><li>a<li>b</ul><table><tr><td>c<td>d</table>" +
        '<img alt="picture"><svg><text>no</text></svg><p>last<!-- no -->',
    ),
    "T & t\n\none\ntwo <3>\n\na\nb\n\nc d\n\npicture\nlast",
  );
});

Deno.test("the text after an unclosed head belongs to the page", () => {
  assertEquals(
    htmlText("<!doctype html><html><head><title>T</title><p>Text</p></html>"),
    "T\n\nText",
  );
  assertEquals(htmlText("<head><meta charset=utf-8><title>T</title>Text"), "T\n\nText");
  assertEquals(htmlText("<title>T</title><style>no</style><h1>Head</h1>"), "T\n\nHead");
  assertEquals(htmlText("<head><template><p>no</p></template><body>Text"), "Text");
});

Deno.test("hidden text of a page is left out; preformatted lines stay lines", () => {
  assertEquals(
    htmlText(
      "<p>one<p hidden>no<div style='color:red; DISPLAY: none'>no<div>no</div>no</div>" +
        "<p hidden=until-found>two<p style='x-display:none'>three<svg><title>no</title></svg>",
    ),
    "one\n\ntwo\n\nthree",
  );
  assertEquals(
    htmlText("<body hidden style='display:none'>shown by a script"),
    "shown by a script",
  );
  assertEquals(htmlText("<pre>a\r\n  b\n\nc</pre>d\ne"), "a\nb\n\nc\n\nd e");
});

Deno.test("broken HTML is read as far as it goes; what is nested too deep is refused", async () => {
  assertEquals(htmlText("<p>a<b <i>c</p></div></p>&#xZZ;"), "ac\n\n&#xZZ;");
  assertEquals(await extract("<div>".repeat(MAX_HTML_DEPTH + 1), "text/html"), {
    ok: false,
    problem: "its elements are nested too deep",
  });
});

Deno.test("a PDF yields the text of its pages; an invalid or encrypted one is refused", async () => {
  const folder = new URL("../../tests/fixtures/vector_stores/", import.meta.url);
  const bytes = await Deno.readFile(new URL("warranty.pdf", folder));
  const source = new TextDecoder().decode(bytes);
  const read = await extract(bytes, "application/pdf");
  assertEquals(read.ok, true);
  if (read.ok) assertStringIncludes(read.passages.join(), "hinge costs four credits");
  assertEquals(await extract("%PDF-1.7 and no more", "application/pdf"), {
    ok: false,
    problem: "it is damaged, or no PDF",
  });
  const hex = "00112233445566778899aabbccddeeff";
  const standard = `/Filter /Standard /V 1 /R 2 /P -4 /O <${hex}${hex}> /U <${hex}${hex}>`;
  const encrypted = source.replace(
    "/Root",
    `/Encrypt << ${standard} >> /ID [<${hex}> <${hex}>] /Root`,
  );
  assertEquals(await extract(encrypted, "application/pdf"), {
    ok: false,
    problem: "it is encrypted",
  });
});
