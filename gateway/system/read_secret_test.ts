import { assertEquals, assertRejects } from "@std/assert";
import { Interrupted, readSecret, type SecretSource } from "./read_secret.ts";

/** Standard input with some pieces of text, which records calls. */
function input(pieces: readonly string[], isTerminal: boolean): SecretSource & { raw: boolean[] } {
  const raw: boolean[] = [];
  return {
    raw,
    isTerminal: () => isTerminal,
    setRaw: (on) => void raw.push(on),
    readable: ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece))),
  };
}

Deno.test("readSecret() reads the first line of an input that is not a terminal", async () => {
  const cases: [string[], string][] = [
    [["a_se", "cret\n", "more"], "a_secret"],
    [["  a_secret \r\n"], "a_secret"],
    [["a_secret"], "a_secret"],
    [[], ""],
    [["\n"], ""],
  ];
  for (const [pieces, secret] of cases) {
    const source = input(pieces, false);
    assertEquals(await readSecret("Key: ", () => {}, source), secret);
    assertEquals(source.raw, []);
  }
});

Deno.test("readSecret() asks on a terminal and shows nothing of what is typed", async () => {
  const cases: [string[], string][] = [
    [["a_", "secret", "\r"], "a_secret"],
    [["a_secretx\x7f\r"], "a_secret"],
    [["\x7f\x7fa\r"], "a"],
    [["a_secret\x04"], "a_secret"],
  ];
  for (const [pieces, secret] of cases) {
    const source = input(pieces, true);
    let shown = "";
    assertEquals(await readSecret("Key: ", (text) => void (shown += text), source), secret);
    assertEquals([shown, source.raw], ["Key: \n", [true, false]]);
  }
});

Deno.test("readSecret() ends at Ctrl-C, and restores the terminal", async () => {
  const source = input(["a_sec\x03ret\r"], true);
  let shown = "";
  const secret = readSecret("Key: ", (text) => void (shown += text), source);
  await assertRejects(() => secret, Interrupted);
  assertEquals([shown, source.raw], ["Key: \n", [true, false]]);
});

Deno.test("readSecret() gives up on an input without end", async () => {
  const endless: SecretSource = {
    ...input([], false),
    readable: new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(1_000))),
    }),
  };
  assertEquals((await readSecret("", () => {}, endless)).length, 4_097);
});

Deno.test("readSecret() can ask for another secret on the same terminal", async () => {
  const source = input(["the_first\r", "the_sec", "ond\r"], true);
  const ask = () => readSecret("Secret: ", () => {}, source);
  assertEquals([await ask(), await ask(), await ask()], ["the_first", "the_second", ""]);
  assertEquals(source.raw, [true, false, true, false, true, false]);
});
