import type { AnswerOf } from "../../../admin_api/operations.ts";
import { newRequestId } from "../../../admin_api/verification_call.ts";
import type { Call, Command, Output } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { newKeyOutput, policyOf } from "./key_output.ts";
import { confirmedRequest, publicUrlOf, usesOf, usesText, verifyKey } from "./key_verification.ts";
import { guidedRotation } from "./guided_rotation.ts";
import { timeRange } from "../../output/local_time.ts";
import { facts } from "../../output/table.ts";

/** Commands of single rotation steps; `disable` and `revoke` complete a rotation. */
export const rotationCommands: readonly Command[] = [
  {
    words: "keys rotate",
    operands: ["ID"],
    options: ["policy", "name", "guided", "url", "yes"],
    summary:
      "Create a copy with the same or a stricter policy; --guided takes all steps of the rotation",
    run: async (call) => call.has("guided") ? await guidedRotation(call) : await copy(call),
  },
  {
    words: "keys verify",
    options: ["url", "request-id"],
    summary: "Make a small call with the key in SERVICE_API_KEY, else from standard input",
    run: verify,
  },
  {
    words: "keys confirm",
    operands: ["ID"],
    required: ["request-id"],
    summary: "Find a call of the key in the request log",
    run: confirm,
  },
  {
    words: "keys uses",
    operands: ["ID"],
    options: ["since"],
    summary: "Show the uses of a key since it was copied, or since a time",
    run: uses,
  },
];

async function copy(call: Call): Promise<Output> {
  const [id = ""] = call.operands;
  const body = { policy: await policyOf(call), name: call.option("name") };
  const json = await call.client.call("POST /keys/{id}/rotate", { id, body });
  const others = json.otherCopies.join(", ");
  if (others !== "") call.warn(`other copies of this key serve too: ${others}`);
  return newKeyOutput(json);
}

async function verify(call: Call): Promise<Output> {
  const url = await publicUrlOf(call);
  const key = call.io.env.SERVICE_API_KEY || (await call.io.readSecret("API key: ")).trim();
  // A text that a header cannot carry is no key; it must not appear in an error either.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new CliFailure(
      "There is no key: set SERVICE_API_KEY, or write the key to standard input",
    );
  }
  const requestId = call.option("request-id") ?? newRequestId();
  const json = await verifyKey(call, { key, url, requestId });
  const text = () =>
    facts([
      ["request id", json.requestId],
      ["service", json.url],
      ["model", json.model],
      ["charged", json.charged],
    ]);
  return { json, text };
}

async function confirm(call: Call): Promise<Output> {
  const [key = ""] = call.operands;
  const requestId = call.option("request-id") ?? "";
  // Reports an unknown key before an unknown request.
  await call.client.call("GET /keys/{id}", { id: key });
  const request = await confirmedRequest(call, { key, requestId });
  const text = () =>
    `Request ${request.id} of key ${key} went to ${request.model ?? ""} ` +
    `and cost ${request.charged} credits\n`;
  return { json: { confirmed: true, request }, text };
}

async function uses(call: Call): Promise<Output> {
  const [id = ""] = call.operands;
  const key = await call.client.call("GET /keys/{id}", { id });
  const { since = await copiedAt(call, key) } = timeRange(call);
  const json = await usesOf(call, key, since);
  return {
    json: { id: key.id, status: key.status, ...json },
    text: () => `${usesText(json)}\n`,
  };
}

/** Returns the creation time of a key's newest copy; a day ago without one. */
async function copiedAt(call: Call, key: AnswerOf<"GET /keys/{id}">): Promise<string> {
  const query = { rotatedFrom: key.id, limit: "1" };
  const { keys: [newest] } = await call.client.call("GET /keys", { query });
  return newest?.createdAt ?? "24h";
}
