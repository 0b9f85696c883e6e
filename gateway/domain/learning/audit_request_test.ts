import { assertEquals } from "@std/assert";
import { auditedRequest, isAuditable } from "./audit_request.ts";

const FEATURES = { choices: 1, hostedTools: [], needs: [] };
const BODY = { model: "auto", messages: [], max_tokens: 5 };

Deno.test("isAuditable() accepts requests that have no effect but their answer", () => {
  assertEquals(isAuditable(BODY, FEATURES), true);
  assertEquals(isAuditable({ ...BODY, stream: true, store: true, user: "u" }, FEATURES), true);
  assertEquals(isAuditable(BODY, { ...FEATURES, needs: ["tools", "json"] }), true);
});

Deno.test("isAuditable() refuses media, hosted tools, several choices and unknown members", () => {
  for (const need of ["vision", "audio", "files"]) {
    assertEquals(isAuditable(BODY, { ...FEATURES, needs: [need] }), false, need);
  }
  assertEquals(isAuditable(BODY, { ...FEATURES, choices: 2 }), false);
  assertEquals(isAuditable(BODY, { ...FEATURES, hostedTools: ["file_search"] }), false);
  for (const name of ["web_search_options", "plugins", "functions", "modalities", "__proto__"]) {
    const body = Object.fromEntries([...Object.entries(BODY), [name, {}]]);
    assertEquals(isAuditable(body, FEATURES), false, name);
  }
});

Deno.test("auditedRequest() leaves out the form of the answer and the end user", () => {
  const more = { stream: true, stream_options: {}, user: "u", metadata: {}, store: true };
  assertEquals(auditedRequest({ ...BODY, ...more, temperature: 0 }), { ...BODY, temperature: 0 });
});
