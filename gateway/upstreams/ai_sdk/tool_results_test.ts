import { assertEquals } from "@std/assert";
import { call, PICTURE, prompt, result, USER } from "./prompt_fixture.ts";

Deno.test("a mark within a tool's result moves to its end, which is reported; one at its end stays", () => {
  const cache_control = { type: "ephemeral" };
  const text = (text: string, more = {}) => ({ type: "text", text, ...more });
  const calls = { role: "assistant", tool_calls: [call("a")] };
  for (const kind of ["anthropic", "amazon-bedrock"] as const) {
    const inner = result("a", [text("A", { cache_control }), text("B")]);
    const moved = prompt(kind, USER, calls, inner);
    assertEquals(moved.prompt.at(-1)?.providerOptions !== undefined, true);
    const place = '"messages.2.content.0.cache_control"';
    assertEquals(moved.notes.warnings, [`${place} was moved to the end of the tool's result`]);
    const last = result("a", [text("A"), text("B", { cache_control })]);
    assertEquals(prompt(kind, USER, calls, last).notes.warnings, []);
  }
});

Deno.test("a file in a tool's result: its name, and its place where the wire takes pictures alone", () => {
  const calls = { role: "assistant", tool_calls: [call("a")] };
  const file = (file_data: string, filename: string) => ({
    type: "file",
    file: { file_data, filename },
  });
  const pdf = file("data:application/pdf;base64,AAAA", "a.pdf");
  const plain = file("data:text/plain;base64,QUFB", "a.txt");
  const output = (kind: string, ...content: readonly unknown[]) => {
    const { prompt: made, notes } = prompt(kind, USER, calls, result("a", content));
    const [, , turn, ...rest] = made;
    const [part] = turn?.role === "tool" ? turn.content : [];
    return {
      output: part?.type === "tool-result" ? part.output : undefined,
      following: rest.flatMap(({ role, content }) => role === "user" ? content : []),
      warnings: notes.warnings,
    };
  };
  const unnamed = (at: number) =>
    `"messages.2.content.${at}.file.filename" is not supported and was left out`;
  assertEquals(output("anthropic", PICTURE, pdf).warnings, [unnamed(1)]);
  assertEquals(output("google", PICTURE, pdf).warnings, [unnamed(1)]);
  assertEquals(output("amazon-bedrock", PICTURE, pdf).warnings, []);
  // Claude's package would drop it; in a message of the user it has a place, and its name too.
  const moved = output("anthropic", plain);
  assertEquals([moved.output?.type, moved.warnings], ["text", []]);
  assertEquals(moved.following.map((part) => Object(part).filename), ["a.txt"]);
  assertEquals(output("anthropic", plain, PICTURE).following.length, 1);
  // Google's package answers a call once for every text.
  for (
    const content of [[PICTURE], [{ type: "text", text: "A" }, PICTURE, {
      type: "text",
      text: "B",
    }]]
  ) {
    const { output: google } = output("google", ...content);
    assertEquals(google?.type === "content" && google.value.map(({ type }) => type), [
      "text",
      "file",
    ]);
  }
});

Deno.test("a tool's failure is stated in its text if the wire has no field for it", () => {
  const failed = (content: unknown) => result("a", content, { is_error: true });
  const promptWith = (kind: string, content: unknown) =>
    prompt(kind, USER, { role: "assistant", tool_calls: [call("a")] }, failed(content)).prompt;
  const output = (kind: string, content: unknown) => {
    const turn = promptWith(kind, content)[2];
    const [part] = turn?.role === "tool" ? turn.content : [];
    return part?.type === "tool-result" ? part.output : undefined;
  };
  for (
    const kind of [
      "google",
      "google-vertex",
      "amazon-bedrock",
      "azure",
      "mistral",
      "cohere",
    ] as const
  ) {
    assertEquals(output(kind, "broken"), { type: "text", value: "Error: broken" });
    assertEquals(output(kind, ""), { type: "text", value: "Error: the tool has failed" });
  }
  for (const kind of ["anthropic", "google"] as const) {
    // A failure is a text: the picture that came with it follows.
    const [, , , shown] = promptWith(kind, [{ type: "text", text: "see" }, PICTURE]);
    assertEquals(shown?.role === "user" && shown.content.length, 1);
  }
});

Deno.test("results of parallel calls are one turn; errors and pictures survive", () => {
  const { prompt: made } = prompt(
    "anthropic",
    USER,
    { role: "assistant", content: null, tool_calls: [call("a"), call("b"), call("c")] },
    result("a", "fine"),
    result("b", "broken", { is_error: true }),
    result("c", [{ type: "text", text: "see" }, PICTURE]),
  );
  assertEquals(made.length, 3);
  const turn = made[2];
  assertEquals(
    turn?.role === "tool" &&
      turn.content.map((part) => part.type === "tool-result" && part.output),
    [
      { type: "text", value: "fine" },
      { type: "error-text", value: "broken" },
      {
        type: "content",
        value: [
          { type: "text", text: "see" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
        ],
      },
    ],
  );
});

Deno.test("pictures of text-only results follow in a user message", () => {
  for (const more of [[], [USER]]) {
    const { prompt: made } = prompt(
      "mistral",
      USER,
      { role: "assistant", tool_calls: [call("a"), call("b")] },
      result("a", [PICTURE]),
      result("b", "fine"),
      ...more,
    );
    assertEquals(made.map((turn) => turn.role).slice(0, 4), ["user", "assistant", "tool", "user"]);
    assertEquals(made[3]?.content, [
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
    ]);
  }
});
