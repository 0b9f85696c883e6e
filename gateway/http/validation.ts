import type { z } from "zod";
import { ServiceFault } from "../domain/fault.ts";

/** Checks a value against a schema; the first complaint becomes the answer, with its path. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues);
  const param = issue.path.map(String).join(".");
  throw new ServiceFault("invalid_request", {
    message: param === "" ? issue.message : `Invalid value at "${param}": ${lower(issue.message)}`,
    param: param === "" ? undefined : param,
  });
}

interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a union's complaints the one that got furthest says most. */
function deepest(issues: readonly z.core.$ZodIssue[]): Complaint {
  const [issue] = issues;
  if (issue === undefined) return { path: [], message: "The request is not valid" };
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.map(deepest).reduce(
    (best, candidate) => candidate.path.length > best.path.length ? candidate : best,
    { path: [], message: "" } as Complaint,
  );
  if (inner.path.length === 0) return issue;
  return { path: [...issue.path, ...inner.path], message: inner.message };
}

function lower(message: string): string {
  const text = message.replace(/^Invalid input: /, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
}
