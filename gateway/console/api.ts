import type { z } from "zod";
import type { AdminApp } from "../admin/deps.ts";
import { invariant } from "../domain/invariant.ts";

/** Why the operator's API did not do what it was asked: the row of the error table, as sent. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** One sentence: what is wrong, and what to do. */
  readonly message: string;
  /** The offending field of the body, such as `policy.models`; `null` where it is none. */
  readonly param: string | null;
}

/** An answer of the operator's API. */
export type ApiAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * The operator's API, as the command line has it: the console asks it like any other client, and so
 * knows, checks and changes nothing that the API does not. A refusal is a value, for the page to show.
 * Paths are those below `/admin/v1`; make them with {@linkcode apiPath}.
 */
export interface ConsoleApi {
  /** Asks for something, and decodes what comes. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<ApiAnswer<T>>;
  /** Sends JSON. */
  post<T>(path: string, schema: z.ZodType<T>, body: unknown): Promise<ApiAnswer<T>>;
  /** Removes something. */
  delete<T>(path: string, schema: z.ZodType<T>): Promise<ApiAnswer<T>>;
  /** The answer as it is, for what streams. The caller reads or cancels its body. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** An address of the operator's API, with what is put into it escaped. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/** The operator's API in this process, under the id of the request that it is asked for. */
export function createConsoleApi(api: AdminApp, requestId: string): ConsoleApi {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("x-request-id", requestId);
    return await api.request(`/admin/v1${path}`, { ...init, headers });
  };
  const send = async <T>(path: string, schema: z.ZodType<T>, init?: RequestInit) =>
    decode(await ask(path, init), schema);
  return {
    ask,
    get: (path, schema) => send(path, schema),
    delete: (path, schema) => send(path, schema, { method: "DELETE" }),
    post: (path, schema, body) =>
      send(path, schema, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

async function decode<T>(response: Response, schema: z.ZodType<T>): Promise<ApiAnswer<T>> {
  const body: unknown = await response.json();
  if (!response.ok) return { ok: false, refusal: refusalOf(response.status, body) };
  const decoded = schema.safeParse(body);
  // What the API says and what a page takes it for differ: a bug, here and not of the reader.
  invariant(decoded.success, `The console cannot read an answer: ${decoded.error?.message}`);
  return { ok: true, value: decoded.data };
}

function refusalOf(status: number, body: unknown): Refusal {
  const { code, message, param } = member(body, "error") ?? {};
  return {
    status,
    code: typeof code === "string" ? code : "internal_error",
    message: typeof message === "string" ? message : `The service answered ${status}`,
    param: typeof param === "string" ? param : null,
  };
}

function member(value: unknown, name: string): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const member: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof member === "object" && member !== null
    ? Object.fromEntries(Object.entries(member))
    : undefined;
}
