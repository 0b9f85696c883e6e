/**
 * Meaning of an upstream's error answer: who caused it, and whether another model may succeed.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { SECRET_FORMS } from "../../domain/redaction/secret_forms.ts";
import { secretSpans, withoutSpans, writingsOf } from "../../domain/redaction/secret_spans.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";

/** An error that an upstream reported, in any of the usual shapes. */
export interface ReportedError {
  /** Empty where there is no message. */
  readonly message: string;
  /** The upstream's error code. */
  readonly code?: string | undefined;
  /** The field that the error is about. */
  readonly param?: string | undefined;
  /** HTTP status in the body. */
  readonly status?: number | undefined;
}

/** HTTP part of an error answer. */
export interface ErrorContext {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Time after which the upstream may be called again, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The whole answer, for errors that are no JSON of a known shape. */
  readonly text?: string | undefined;
  /** Credentials of the upstream, which no message may repeat. */
  readonly secrets?: readonly string[] | undefined;
}

const MAX_MESSAGE_CHARS = 1000;
/** Maximum length of an upstream's message for the operator, in characters. */
const MAX_OPERATOR_MESSAGE_CHARS = 2048;
const MAX_NAME_CHARS = 200;

/** Reads the error in a parsed body; `undefined` where it reports none. */
export function readError(body: unknown): ReportedError | undefined {
  // Gemini wraps its error in an array.
  const value = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(value)) return undefined;
  const error = value["error"];
  if (isJsonObject(error)) return fieldsOf(error);
  if (typeof error === "string" && error !== "") return { message: error };
  if (value["object"] === "error") return fieldsOf(value);
  return undefined;
}

/** Reads the error in the body of an answer whose status says that it is one. */
export function readErrorAnswer(body: unknown): ReportedError {
  const error = readError(body);
  if (error !== undefined) return error;
  if (!isJsonObject(body)) return { message: "" };
  return typeof body["detail"] === "string" ? { message: body["detail"] } : fieldsOf(body);
}

/** Classifies a reported error. */
export function failureOf(error: ReportedError, context: ErrorContext): UpstreamFailure {
  const status = context.status < 300 ? error.status ?? 500 : context.status;
  const outcome = outcomeOf(status, error);
  const message = redact(error.message, context.secrets) || `The upstream answered ${status}`;
  const { retryAfterMs, text = "" } = context;
  const words = wordsOf(error.message || text, context.secrets);
  const failure = {
    kind: "failure",
    outcome,
    status: context.status,
    retryAfterMs,
    message,
    ...words === undefined ? {} : { words },
  } as const;
  if (outcome !== "refused_input") return failure;
  const named = (name: string | undefined) =>
    name === undefined ? undefined : redact(name, context.secrets).slice(0, MAX_NAME_CHARS);
  return { ...failure, param: named(error.param), code: named(error.code) };
}

function outcomeOf(status: number, error: ReportedError): UpstreamFailure["outcome"] {
  switch (status) {
    case 401:
    // The operator's account is empty.
    case 402:
    case 403:
      return "refused_credentials";
    case 408:
    case 504:
      return "timeout";
    case 429:
      return "rate_limited";
    case 400:
    case 413:
    case 422:
      if (isAboutKey(error)) return "refused_credentials";
      return isAboutModel(error) ? "server_error" : "refused_input";
    case 404:
      // Only an error that names a field is the caller's: a bare 404 is a wrong address, and the
      // gateway chose the model.
      return namesField(error) && !isAboutModel(error) ? "refused_input" : "server_error";
    default:
      return "server_error";
  }
}

/** True for an error about the key: Gemini answers 400 to a wrong one. */
function isAboutKey({ code, message }: ReportedError): boolean {
  return code === "invalid_api_key" ||
    /\bapi key not valid\b|\b(?:invalid|incorrect) api key\b/i.test(message);
}

function isAboutModel({ code, param, message }: ReportedError): boolean {
  return param === "model" || code?.startsWith("model_") === true ||
    /\b(?:invalid|unknown|unsupported|no such) model\b/i.test(message) ||
    /\bmodels?\b.{0,120}\b(?:not found|does not exist|not available|not supported)\b/is
      .test(message);
}

function namesField({ code, param }: ReportedError): boolean {
  return param !== undefined || (code !== undefined && code !== "not_found" && code !== "404");
}

/**
 * Returns an upstream's message for the operator, without secrets; `undefined` where it is empty.
 */
export function wordsOf(text: string, secrets: readonly string[] = []): string | undefined {
  return redact(text, secrets, MAX_OPERATOR_MESSAGE_CHARS) || undefined;
}

/** Shortens a message and removes the secrets and everything that looks like a key. */
export function redact(
  message: string,
  secrets: readonly string[] = [],
  maxChars = MAX_MESSAGE_CHARS,
): string {
  // Variables that are read from files end with a line break, which is not sent.
  const writings = secrets.map((secret) => secret.trim())
    .filter(({ length }) => length >= SECRET_CHARS_MIN).flatMap(writingsOf);
  // Shortened first, so that a huge message costs little. A secret that is cut here is beyond the
  // final length.
  const searched = message.slice(0, MAX_SEARCHED_CHARS);
  const spans = secretSpans(searched, { writings, forms: FORMS, isPrefixRemoved: true });
  const margin = searched.length < message.length ? LOOK_AHEAD_CHARS : 0;
  const inside = spans.filter(({ begin }) => begin < searched.length - margin);
  const end = Math.max(searched.length - margin, inside.at(-1)?.end ?? 0);
  const clean = withoutSpans(searched.slice(0, end), inside, REDACTED);
  return clean.replace(CONTROL_CHARACTERS, " ").slice(0, maxChars).toWellFormed().trim();
}

const SECRET_CHARS_MIN = 8;
const MAX_SEARCHED_CHARS = 8 * MAX_MESSAGE_CHARS;
const LOOK_AHEAD_CHARS = 4 * MAX_MESSAGE_CHARS;
const REDACTED = "[redacted]";
// deno-lint-ignore no-control-regex -- they are what is searched for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]+/g;
// Upstreams repeat keys masked by asterisks, in part, or without a known prefix.
const MASKED_FORMS = [
  /\b(?:Bearer|Basic)\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|svc|key|ghp|glpat|ya29)[-_.][\w.*-]{6,}/gi,
  /\bA(?:Iza|KIA|SIA)[\w-]{10,}/g,
  /(?<![\w-])(?=[a-z_-]*\d)[\w-]{32,}/gi,
];
const FORMS = [...SECRET_FORMS, ...MASKED_FORMS];

function fieldsOf(error: Readonly<Record<string, unknown>>): ReportedError {
  const { message, code, param } = error;
  const number = typeof code === "number" ? code : NaN;
  return {
    message: typeof message === "string" ? message : "",
    code: typeof code === "string" && code !== "" ? code : undefined,
    param: typeof param === "string" && param !== "" ? param : undefined,
    status: number >= 400 && number < 600 ? number : undefined,
  };
}
