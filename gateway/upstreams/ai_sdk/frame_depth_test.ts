import { assertEquals } from "@std/assert";
import { FrameDepth } from "./frame_depth.ts";

function exceeds(...pieces: readonly string[]): boolean {
  const depth = new FrameDepth();
  return pieces.some((piece) => depth.exceededBy(new TextEncoder().encode(piece)));
}

Deno.test("a line may be as deep as an answer, and no deeper, however it is cut", () => {
  assertEquals(exceeds("data: " + "[{".repeat(128)), false);
  assertEquals(exceeds("data: " + "[{".repeat(128), "["), true);
  assertEquals(exceeds("[".repeat(200), "[".repeat(57)), true);
});

Deno.test("each line begins anew, and what is closed is", () => {
  assertEquals(exceeds(`${"[".repeat(200)}\n`, "[".repeat(200)), false);
  assertEquals(exceeds("[]{}".repeat(1_000)), false);
});

Deno.test("brackets within strings are text", () => {
  assertEquals(exceeds('"', "[".repeat(1_000), '\\"', "[".repeat(1_000), '"'), false);
  assertEquals(exceeds('"\\', '"[', '"', "[".repeat(257)), true);
});
