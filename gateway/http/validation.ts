import type { z } from "zod";
import { ServiceFault } from "../domain/fault.ts";

/** Set by zod's own `validate()`: a million bad elements would otherwise give a million issues. */
export const FIRST_ONLY: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/**
 * Checks a value against a schema; throws the first complaint, with its path. `place` is the path
 * of the value in the request.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place = "",
): z.output<Schema> {
  const result = schema.safeParse(value, FIRST_ONLY);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues);
  const path = [...place === "" ? [] : [place], ...issue.path];
  throw refusalOf([{ ...issue, path }]);
}

/**
 * Checks a value that an operator wrote by hand; throws all complaints together, up to {@linkcode
 * COMPLAINTS_MAX}. `also` adds complaints that no schema can find.
 */
export function validateAll<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  also: readonly Complaint[] = [],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success && also.length === 0) return result.data;
  const issues = result.success ? [] : result.error.issues;
  throw refusalOf([...issues.map((issue) => deepest([issue])), ...also]);
}

/** Maximum number of complaints in one refusal. */
export const COMPLAINTS_MAX = 20;

/** Returns the fault with all complaints; its parameter is that of the first. */
function refusalOf(complaints: readonly Complaint[]): ServiceFault {
  const [first, ...others] = complaints.slice(0, COMPLAINTS_MAX).map(({ path, message }) => ({
    param: path.map(String).join("."),
    text: message.replace(/^Invalid input: /, "")
      .replace("expected int, received number", "expected a whole number, received another"),
  }));
  const { param = "", text = "The request is not valid" } = first ?? {};
  const rest = complaints.length - 1 - others.length;
  const texts = [
    param === "" ? text : `Cannot accept "${param}": ${text}`,
    ...others.map((other) => other.param === "" ? other.text : `"${other.param}": ${other.text}`),
    ...rest > 0 ? [`and ${rest} more`] : [],
  ];
  return new ServiceFault("invalid_request", {
    message: texts.join("; "),
    param: param === "" ? undefined : param,
  });
}

/** A mistake in a value, with its path. */
export interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Returns the complaint of the union's option that matched furthest; an option of another type
 * comes last.
 */
function deepest(issues: readonly z.core.$ZodIssue[]): Complaint {
  const [issue] = issues;
  if (issue === undefined) return { path: [], message: "The request is not valid" };
  if (issue.code === "unrecognized_keys") {
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: issue.message };
  }
  if (issue.code !== "invalid_union") return issue;
  const [inner] = issue.errors
    .filter(([first]) => first?.code !== "invalid_type" || first.path.length > 0)
    .map(deepest)
    .sort((one, other) => other.path.length - one.path.length);
  if (inner === undefined) return { path: issue.path, message: noneOf(issue) };
  return { path: [...issue.path, ...inner.path], message: inner.message };
}

/** Returns the complaint that a value has none of a union's types, listing all types but `null`. */
function noneOf({ errors, message }: z.core.$ZodIssueInvalidUnion): string {
  // The schema's own message says more.
  if (message !== "Invalid input") return message;
  const complaints = errors.map(([first]) => first?.message ?? "");
  const types = complaints.map((text) => /expected (\w+), received/.exec(text)?.[1]);
  const [received] = complaints.map((text) => /, received (\w+)$/.exec(text)?.[1]);
  if (received === undefined || types.includes(undefined)) return message;
  const named = new Set(types.filter((type) => type !== "null"));
  return `expected ${[...named].join(" or ")}, received ${received}`;
}
