import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { ToolContent, ToolError } from "@svc/tools";
import { resultOf } from "./result.ts";

const IMAGE = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

Deno.test("texts are joined, and other content is named", () => {
  const content = [
    { type: "text", text: "One" },
    { type: "text", text: "Two" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "file:///a.txt", text: "Three" } },
    { type: "resource", resource: { uri: "file:///a.zip", mimeType: "x/zip", blob: "AAAAAAAA" } },
    { type: "resource_link", uri: "file:///b.txt", name: "b", mimeType: "text/plain" },
    { type: "hologram" },
    { type: "resource" },
    null,
  ];
  assertEquals(
    resultOf({ content }),
    [
      "One",
      "Two",
      "[Left out: audio of the type audio/wav, 3 bytes]",
      "Resource file:///a.txt:\nThree",
      "Resource file:///a.zip: [Left out: bytes of the type x/zip, 6 bytes]",
      "Resource: b, file:///b.txt, text/plain",
      "[Left out: hologram]",
    ].join("\n\n"),
  );
  for (const empty of [{}, { content: [] }, { content: "text" }]) assertEquals(resultOf(empty), "");
});

Deno.test("images are shown beside the text", () => {
  const resource = { uri: "file:///c.png", mimeType: "image/png", blob: "AAAA" };
  const result = resultOf({
    content: [{ type: "text", text: "Look" }, IMAGE, { type: "resource", resource }],
  });
  assertInstanceOf(result, ToolContent);
  assertEquals(result.text, "Look\n\nResource file:///c.png is an image");
  assertEquals(result.images.map(({ data, mediaType }) => [mediaType, data]), [
    ["image/png", IMAGE.data],
    ["image/png", "AAAA"],
  ]);
  const many = resultOf({ content: Array.from({ length: 20 }, () => IMAGE) });
  assertInstanceOf(many, ToolContent);
  assertEquals(many.images.length, 16);
  assert(many.text.includes("Only 16 of 20 images"));
});

Deno.test("structured content is sent once", () => {
  const structuredContent = { degrees: 21, city: "Bern" };
  const json = '{"degrees":21,"city":"Bern"}';
  const text = (text: string) => [{ type: "text", text }];
  assertEquals(resultOf({ content: [], structuredContent }), json);
  const pretty = JSON.stringify(structuredContent, null, 2);
  assertEquals(resultOf({ content: text(pretty), structuredContent }), json);
  assertEquals(resultOf({ content: text("Mild"), structuredContent }), `Mild\n\n${json}`);
});

Deno.test("a failure that the server reports is an error that the model reads", () => {
  const content = [{ type: "text", text: "No such city" }];
  const error = assertThrows(() => resultOf({ content, isError: true }), ToolError, "No such city");
  assertEquals(error.code, "mcp_tool_failed");
  assertThrows(() => resultOf({ isError: true }), ToolError, "without a reason");
});
