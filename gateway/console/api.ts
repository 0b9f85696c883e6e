import type { Actor } from "../domain/operators/operator.ts";
import type { AdminApp } from "../admin/deps.ts";
import { httpCall, type UncheckedArguments } from "../admin_api/call.ts";
import type { AnswerOf, Target } from "../admin_api/operations.ts";

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
export type ApiAnswer<T> = { readonly ok: true; readonly value: T } | {
  readonly ok: false;
  readonly refusal: Refusal;
};

/**
 * The operator's API, as the command line has it: the console calls it like any other client, and so
 * knows, checks and changes nothing that the API does not. A refusal is a value, for the page to show.
 */
export interface ConsoleApi {
  /** Calls an operation. The handlers of the API are typed by the same table as its answers here. */
  call<Name extends Target>(
    target: Name,
    ...args: UncheckedArguments<Name>
  ): Promise<ApiAnswer<AnswerOf<Name>>>;
  /** Returns the response of a path below `/admin/v1` unread, for streams; the caller ends its body. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** The request of the console that calls the API: its id, and who sent it from where. */
export interface Calling {
  readonly requestId: string;
  readonly remoteAddress: string | undefined;
  readonly actor: Actor | undefined;
}

/** The operator's API in this process, called with the rights of the actor. */
export function createConsoleApi(
  api: AdminApp,
  { requestId, remoteAddress = "", actor }: Calling,
): ConsoleApi {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("x-request-id", requestId);
    return await api.request(`/admin/v1${path}`, { ...init, headers }, { remoteAddress, actor });
  };
  return {
    ask,
    async call<Name extends Target>(target: Name, ...args: UncheckedArguments<Name>) {
      const { method, path, body } = httpCall(target, ...args);
      const headers = { "content-type": "application/json" };
      const response = await ask(path, body === undefined ? { method } : { method, headers, body });
      const answer = await response.json();
      if (response.ok) return { ok: true, value: answer };
      return { ok: false, refusal: refusalOf(response.status, answer) };
    },
  };
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
