/**
 * The operations of the admin listener, derived from the table by which it serves them.
 *
 * @module
 */

import type { Endpoint, ErrorCode } from "@svc/sdk/protocol";
import { strict } from "../admin_api/fields.ts";
import { type AdminOperation, LINES_TYPE } from "../admin_api/operation.ts";
import { OPERATIONS_BY_NOUN } from "../admin_api/operations.ts";
import { queryFields } from "../admin_api/query_fields.ts";
import { ROLES, rolesWith } from "../domain/operators/roles.ts";
import { ENDPOINT_PATHS } from "../domain/requests/endpoints.ts";
import { codesOf, EVENTS_TYPE, JSON_TYPE, type Operation } from "./operation.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";
import { selfOperations } from "./self_operations.ts";

/** Every operation of the admin listener. */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  ...Object.entries(OPERATIONS_BY_NOUN).flatMap(([tag, operations]) =>
    Object.entries<AdminOperation>(operations).map(([target, operation]) =>
      described(target, operation, tag)
    )
  ),
  ...selfOperations("Description"),
];

function described(target: string, operation: AdminOperation, tag: string): Operation {
  const [method = "", path = ""] = target.split(" ");
  const { id, summary, description, query, headers, status = 200 } = operation;
  return {
    method: method === "GET" ? "get" : method === "POST" ? "post" : "delete",
    path: `/admin/v1${path}`,
    tag,
    access: "token",
    ...{ id, summary },
    ...description === undefined ? {} : { description },
    ...query === undefined ? {} : { query: strict(query(queryFields(0))) },
    ...headers === undefined ? {} : { headers },
    ...bodyOf(operation),
    replies: { [status]: replyOf(operation) },
    codes: [
      ...rolesWith(operation.right).length === ROLES.length ? [] : ["policy_denied" as const],
      ...path.includes("{") ? ["not_found" as const] : [],
      ...operation.codes ?? [],
      ...codesAt(operation.passesOn),
    ],
  };
}

function bodyOf(
  { body, describedBody, example, uploads }: AdminOperation,
): Pick<Operation, "body"> {
  if (uploads !== undefined) return { body: Object.fromEntries(uploads.map((type) => [type, {}])) };
  const schema = describedBody ?? body;
  return schema === undefined ? {} : { body: { [JSON_TYPE]: { schema, example } } };
}

function replyOf(operation: AdminOperation): Operation["replies"][number] {
  const { answer, answerDescription, events, lines, answerHeader } = operation;
  const byType = { [JSON_TYPE]: answer, [EVENTS_TYPE]: events, [LINES_TYPE]: lines };
  const content = Object.entries(byType).flatMap(([type, schema]) =>
    schema === undefined ? [] : [[type, { schema }] as const]
  );
  return {
    description: answerDescription ?? "The answer",
    content: Object.fromEntries(content),
    headers: ["Cache-Control", ...answerHeader === undefined ? [] : [answerHeader]],
  };
}

/** Returns every code with which one of the endpoints refuses. */
function codesAt(endpoints: readonly Endpoint[] = []): readonly ErrorCode[] {
  const paths: readonly string[] = endpoints.map((name) => ENDPOINT_PATHS[name]);
  return PUBLIC_OPERATIONS.filter(({ path }) => paths.includes(path)).flatMap(codesOf);
}
