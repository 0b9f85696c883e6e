import { PAGE_LIMIT } from "../../../admin_api/query_fields.ts";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import { newRequestId } from "../../../admin_api/verification_call.ts";
import { canAsk, requirePerson } from "../../input/agreement.ts";
import type { Call, Output } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { policyOf } from "./key_output.ts";
import { printable } from "../../output/table.ts";
import { confirmedRequest, publicUrlOf, usesText, verifyKey } from "./key_verification.ts";

/** A rotation in progress. */
interface Rotation {
  readonly call: Call;
  /** Id of the old key. */
  readonly old: string;
  /** The copy, without its secret. */
  readonly copy: Omit<AnswerOf<"POST /keys/{id}/rotate">, "key">;
  readonly key: string;
  readonly url: string;
  readonly requestId: string;
  /** True when a person can answer the questions. */
  readonly asks: boolean;
}

/** One step, with the commands that perform it alone. */
interface Step {
  readonly name: string;
  commands(rotation: Rotation): readonly string[];
  /** Returns the outcome. Throws a {@linkcode CliFailure} when the rotation must stop. */
  run(rotation: Rotation): Promise<string>;
}

const copyOf = ({ copy }: Rotation) => copy.id;

/** The steps after the copy, in the order of the specification (5.6). */
const STEPS: readonly Step[] = [
  {
    name: "Store",
    commands: () => ["put the new key into your secret store"],
    run: async (rotation) => {
      await ask(rotation, "Is the new key in your secret store, and do your applications use it?");
      return "The new key is in your secret store";
    },
  },
  {
    name: "Verify",
    commands: ({ requestId }) => [`svc keys verify --request-id ${requestId}`],
    run: async ({ call, key, url, requestId }) => {
      const { model, charged } = await verifyKey(call, { key, url, requestId });
      return printable(`Request ${requestId} was answered by ${model} for ${charged} credits`);
    },
  },
  {
    name: "Confirm",
    commands: (rotation) => [
      `svc keys confirm ${copyOf(rotation)} --request-id ${rotation.requestId}`,
    ],
    run: async (rotation) => {
      const { call, requestId } = rotation;
      const request = await confirmedRequest(call, { key: copyOf(rotation), requestId });
      return `The request log has it as ${request.id}, under ${copyOf(rotation)}`;
    },
  },
  {
    name: "Disable",
    commands: ({ old }) => [`svc keys uses ${old}`, `svc keys disable ${old}`],
    run: disable,
  },
  { name: "Revoke", commands: ({ old }) => [`svc keys revoke ${old}`], run: revoke },
];

/**
 * Takes a rotation from the copy to the end of the old key. Stops when a step fails or the operator
 * refuses, and prints the remaining commands.
 */
export async function guidedRotation(call: Call): Promise<Output> {
  const [old = ""] = call.operands;
  requirePerson(call);
  const asks = canAsk(call);
  await requireNoCopy(call, old);
  const url = await publicUrlOf(call);
  const body = { policy: await policyOf(call), name: call.option("name") };
  const { key, ...copy } = await call.client.call("POST /keys/{id}/rotate", { id: old, body });
  const rotation = { call, old, copy, key, url, requestId: newRequestId(), asks };
  call.print(`1/6 Copy: key ${copyOf(rotation)} has the policy of ${old} or a stricter one\n`);
  call.print(`\n${rotation.key}\n\nThis is the only time the key is shown.\n`);
  const all = restOf(rotation, 0).map((command) => `  ${command}\n`).join("");
  call.print(`If this is interrupted, continue with:\n${all}\n`);
  const { done, failure } = await takeSteps(rotation);
  const rest = restOf(rotation, done.length - 1);
  const json = {
    old,
    new: copy,
    key,
    requestId: rotation.requestId,
    done,
    next: rest,
    complete: failure === undefined,
  };
  const text = () => failure === undefined ? `Key ${old} is replaced by ${copyOf(rotation)}\n` : "";
  return failure === undefined
    ? { json, text }
    : { json, text, failure: `${failure}. Continue with: ${rest.join("; ")}` };
}

/** Returns the commands of the remaining steps. */
function restOf(rotation: Rotation, stepCount: number): readonly string[] {
  return STEPS.slice(stepCount).flatMap((step) => step.commands(rotation));
}

async function takeSteps(
  rotation: Rotation,
): Promise<{ done: readonly string[]; failure?: string }> {
  const done = ["copy"];
  for (const step of STEPS) {
    const heading = `${done.length + 1}/6 ${step.name}: `;
    try {
      rotation.call.print(`${heading}${await step.run(rotation)}\n`);
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      return { done, failure: heading + error.message };
    }
    done.push(step.name.toLowerCase());
  }
  return { done };
}

/** Refuses a key with an active copy, which may come from an interrupted rotation. */
async function requireNoCopy({ client }: Call, old: string): Promise<void> {
  const query = { rotatedFrom: old, limit: String(PAGE_LIMIT) };
  const { keys } = await client.call("GET /keys", { query });
  const copy = keys.find(({ status }) => status === "active");
  if (copy === undefined) return;
  throw new CliFailure(
    `Key "${old}" has a copy that serves, ${copy.id}: continue with that one by ` +
      "`svc keys verify`, or revoke it",
  );
}

async function disable(rotation: Rotation): Promise<string> {
  const { call, old, requestId, asks } = rotation;
  // Decided by the service's clock: this machine's may differ.
  const query = { copy: copyOf(rotation), request_id: requestId };
  const { uses } = await call.client.call("GET /keys/{id}/rotation", { id: old, query });
  const usesSentence = `Key ${old}: ${usesText(uses)}`;
  if (uses.inUse && !asks) {
    throw new CliFailure(`${usesSentence}: it is in use, and its callers would be refused`);
  }
  await ask(rotation, `${usesSentence}. Disable it? It can be enabled again.`);
  await call.client.call("POST /keys/{id}/disable", { id: old });
  return `Key ${old} is disabled`;
}

async function revoke(rotation: Rotation): Promise<string> {
  const { call, old } = rotation;
  const question = `Do your applications still work? Revoke ${old} for good?`;
  if (!await agreed(rotation, question)) {
    if (!await agreed(rotation, `Enable ${old} again?`)) throw stopped();
    await call.client.call("POST /keys/{id}/enable", { id: old });
    throw new CliFailure(`Stopped: key ${old} is enabled and serves again`);
  }
  await call.client.call("POST /keys/{id}/revoke", { id: old });
  return `Key ${old} is revoked`;
}

async function ask(rotation: Rotation, question: string): Promise<void> {
  if (!await agreed(rotation, question)) throw stopped();
}

async function agreed({ call, asks }: Rotation, question: string): Promise<boolean> {
  return !asks || await call.io.confirm(question);
}

function stopped(): CliFailure {
  return new CliFailure("Stopped");
}
