import { assert, assertEquals } from "@std/assert";
import { createJsonLogger } from "./logger.ts";
import { Secrets } from "./secrets.ts";

Deno.test("secrets that are known are taken out wherever they stand", () => {
  const secrets = new Secrets();
  secrets.add("hunter2-hunter2");
  secrets.add("none");
  secrets.add(undefined);
  const text = "a hunter2-hunter2, b=hunter2-hunter2hunter2-hunter2, none";
  assertEquals(secrets.remove(text), "a [removed], b=[removed][removed], none");
});

Deno.test("a secret that begins another does not leave the other's end, in any order", () => {
  for (const order of [[0, 1], [1, 0]]) {
    const secrets = new Secrets();
    for (const at of order) secrets.add(["abcdefgh", "abcdefgh12345678"][at]);
    assertEquals(secrets.remove("x abcdefgh12345678 abcdefgh"), "x [removed] [removed]");
  }
});

Deno.test("secrets that are known are found in addresses and in quoted JSON", () => {
  const secrets = new Secrets();
  const secret = 'p+ss/w0rd="\n\\';
  secrets.add(secret);
  for (const text of [encodeURIComponent(secret), JSON.stringify({ password: secret })]) {
    const removed = secrets.remove(text);
    assert(!removed.includes("w0rd"), removed);
  }
});

Deno.test("secrets are recognised by their form, for any issuer", () => {
  const secrets = new Secrets();
  const cases: readonly [string, string][] = [
    ["key svc_live_abcDEF123_x9 said", "abcDEF123"],
    ["svc_admin_0123456789abcdef", "0123456789"],
    ["Authorization: Bearer abc.def-ghi/jkl==", "abc.def"],
    ["authorization: Basic dXNlcjpwYXNz", "dXNlcjpw"],
    ['{"x-api-key":"0123456789"}', "0123456789"],
    ["GET /files/img_1?expires=5&signature=AbC_-123 failed", "AbC_-123"],
    ["https://user:pa55word@host/v1", "pa55word"],
    ["https://host/v1?key=AIzaSecretSecret", "AIzaSecret"],
    ["Incorrect API key provided: sk-proj-abcdefgh12345678", "abcdefgh"],
    ["AKIAABCDEFGHIJKLMNOP", "ABCDEFGHIJ"],
    ["token ya29.a0AfH6SMB-abc", "a0AfH6"],
    ["eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhYmMifQ.c2lnbmF0dXJl", "eyJpc3Mi"],
    ["gsk_abcdefghijklmnop1234", "abcdefghij"],
    ["xai-abcdefghijklmnop1234", "abcdefghij"],
    ["hf_abcdefghijklmnop1234", "abcdefghij"],
    ["cookie: svc_session=0123456789abcdef; svc_lang=en", "0123456789"],
    ["cookie: svc_session_8788=0123456789abcdef; svc_lang=en", "0123456789"],
    [JSON.stringify(JSON.stringify({ "x-api-key": "0123456789" })), "0123456789"],
    ["Authorization: Token abcdef0123", "abcdef0123"],
    ["?x-api-key%3D0123456789", "0123456789"],
    ["-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY----- rest", "MIIEvQ"],
  ];
  for (const [text, secret] of cases) {
    const removed = secrets.remove(text);
    assert(removed.includes("[removed]"), removed);
    assert(!removed.includes(secret), removed);
  }
});

Deno.test("secrets are taken out however they are written", () => {
  const secrets = new Secrets();
  secrets.add("hunter2-hunter2\n");
  for (
    const text of ["hunter2-hunter2", "svc_live_abcDEF123-", "Bearer abc.def-ghi", "sk-abcdefgh-1"]
  ) {
    const secret = text.slice(-5);
    const written = [
      text.replaceAll("-", "\\u002d"),
      text.replaceAll("-", "\\\\u002D"),
      text.replaceAll("-", "%2D").replaceAll(" ", "%20"),
      text.replaceAll("-", "%252d").replaceAll(" ", "%2520"),
      text.replaceAll("-", "&#45;"),
      text.replaceAll("-", "\u2011"),
      [...text].join("\u200b"),
    ];
    for (const line of written) {
      const removed = secrets.remove(`so ${line} ok`);
      assert(removed.includes("[removed]") && !removed.includes(secret), removed);
      assert(!removed.includes([...secret].join("\u200b")), removed);
    }
  }
});

Deno.test("of a long text the beginning is kept, and no beginning of a secret with it", () => {
  const secrets = new Secrets();
  secrets.add("hunter2-hunter2");
  for (let before = 65_500; before < 65_560; before++) {
    const removed = secrets.remove(`${"x".repeat(before)}hunter2-hunter2${"y".repeat(9_000)}`);
    assert(!removed.includes("hun"), removed.slice(-200));
    assert(/ … and \d+ characters more$/.test(removed));
  }
});

Deno.test("ordinary lines stay unchanged", () => {
  const secrets = new Secrets();
  const lines = [
    "upstream_refuses_credentials",
    'Environment variable "OPENAI_API_KEY" is not set',
    "The key's policy does not allow requests from this address",
    "https://api.openai.com/v1/chat/completions",
    "req_01JB3Z hold_01JB3Z key_01JB3Z wallet team-1",
    "C:\\new\\users 100%, 50%off & more, \u5199\u4e00\u9996\u8bd7",
    "asked for 100 tokens: basic model, bearer of news",
  ];
  for (const line of lines) assertEquals(secrets.remove(line), line);
});

Deno.test("a text of secrets' beginnings takes time by its length alone", () => {
  const secrets = new Secrets();
  // If a form looked back, the time would grow quadratically, to minutes.
  const parts = [
    ...["eyJ", "-eyJ", "sk-", "://", "-----BEGIN ", "Bearer ", "&key", "svc_live_", "api_key "],
    ...["-----BEGIN PRIVATE KEY----- ", "password\\", "?x-amz-", "@", "\\", "%25", "\\u002d", "－"],
  ];
  for (const part of parts) {
    assert(secrets.remove(part.repeat(1_000_000 / part.length)).length > 0);
  }
});

Deno.test("a line of the log is JSON without secrets, with what is known of its request", () => {
  const secrets = new Secrets();
  secrets.add('quote"d-secret');
  const lines: string[] = [];
  const logger = createJsonLogger({
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    write: (line, { level, event, requestId }) =>
      lines.push(line, `${level} ${event} ${requestId}`),
    removeSecrets: (text) => secrets.remove(text),
    fieldsOf: (requestId) => requestId === "req_1" ? { traceId: "t" } : undefined,
  });
  logger.warn("odd", { requestId: "req_1", cause: 'got quote"d-secret\nand more', n: 3 });
  assertEquals(JSON.parse(lines[0] ?? ""), {
    time: "1970-01-01T00:00:00.000Z",
    level: "warn",
    event: "odd",
    requestId: "req_1",
    cause: "got [removed]\nand more",
    n: 3,
    traceId: "t",
  });
  assertEquals(lines[1], "warn odd req_1");
});
