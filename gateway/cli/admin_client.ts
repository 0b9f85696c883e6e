import type { CliIo } from "./io.ts";
import { CliFailure, UsageError } from "./io.ts";
import { isObject, type Row } from "./json_fields.ts";

/** Where the operator's API listens unless told otherwise. */
const DEFAULT_URL = "http://127.0.0.1:8788";

/** What a request carries besides its path. */
export interface Sent {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** A file to send, and what is said of it. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

type Sending = Sent & Partial<Upload>;

/** The service could not be reached: whether it did what was asked is not known. */
export class UnreachableFailure extends CliFailure {
  override name = "UnreachableFailure";
}

/** Speaks to the operator's API. Finds its credentials when it is first used. */
export class AdminClient {
  readonly #io: CliIo;
  readonly #token: string | undefined;

  /** `token` is used instead of the one that the command line finds. */
  constructor(io: CliIo, token?: string) {
    this.#io = io;
    this.#token = token;
  }

  /** The same, with another token. */
  withToken(token: string): AdminClient {
    return new AdminClient(this.#io, token);
  }

  /** Reads `/admin/v1` + path. */
  get(path: string, query: Sent["query"] = {}): Promise<Row> {
    return this.#send("GET", path, { query });
  }

  /** Changes something at `/admin/v1` + path. */
  post(path: string, body: unknown = {}): Promise<Row> {
    return this.#send("POST", path, { body });
  }

  /** Removes what is at `/admin/v1` + path. */
  delete(path: string): Promise<Row> {
    return this.#send("DELETE", path, {});
  }

  /** Sends a file to `/admin/v1` + path. */
  upload(path: string, file: Upload): Promise<Row> {
    const { bytes, mediaType, query } = file;
    return this.#send("POST", path, { query: query ?? {}, bytes, mediaType });
  }

  async #send(method: "GET" | "POST" | "DELETE", path: string, sent: Sending): Promise<Row> {
    const { url, token } = await this.#credentials();
    const address = addressOf(url, path, sent.query);
    const type = sent.mediaType ?? "application/json";
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const content = sent.body === undefined ? sent.bytes : JSON.stringify(sent.body);
    const body = content === undefined ? {} : { body: content };
    let response: Response;
    let text: string;
    try {
      // A redirect would carry the token somewhere else.
      response = await this.#io.fetch(address, { method, headers, redirect: "error", ...body });
      text = await response.text();
    } catch (cause) {
      throw new UnreachableFailure(
        `Cannot reach the gateway at ${url}: start it with \`deno task serve\` or set ` +
          `SERVICE_ADMIN_URL`,
        { cause },
      );
    }
    return readAnswer(response, text, { url, query: sent.query ?? {} });
  }

  async #credentials(): Promise<{ url: string; token: string }> {
    const { SERVICE_ADMIN_URL: url } = this.#io.env;
    const token = this.#token ?? this.#io.env.SERVICE_ADMIN_TOKEN;
    const left = url && token ? undefined : await this.#io.readCredentials();
    const found = token || left?.token;
    if (!found) {
      throw new CliFailure(
        "There is no admin token: set SERVICE_ADMIN_TOKEN, or run this where the gateway was " +
          "first started",
      );
    }
    return { url: url || left?.url || DEFAULT_URL, token: found };
  }
}

function addressOf(url: string, path: string, query: Sent["query"] = {}): string {
  const base = url.replace(/\/+$/, "");
  if (!/^https?:\/\//.test(base) || !URL.canParse(base)) {
    throw new CliFailure(`Cannot use SERVICE_ADMIN_URL "${url}": give an http or https address`);
  }
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]]
  );
  const search = new URLSearchParams(given).toString();
  return `${base}/admin/v1${path}${search === "" ? "" : `?${search}`}`;
}

function readAnswer(
  response: Response,
  text: string,
  { url, query }: { url: string; query: Readonly<Record<string, unknown>> },
): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (response.ok && isObject(value)) return value;
  const error = isObject(value) && isObject(value.error) ? value.error : undefined;
  if (typeof error?.message === "string") {
    const param = typeof error.param === "string" ? error.param : "";
    // What stands in the query are values of flags.
    if (response.status === 400 && Object.hasOwn(query, param)) {
      throw new UsageError(error.message.replace(`"${param}"`, `--${param}`));
    }
    throw new CliFailure(
      response.status < 500
        ? error.message
        : `${error.message} (request ${String(error.request_id)})`,
    );
  }
  throw new CliFailure(
    `What answers at ${url} is not the gateway's admin API (status ${response.status})`,
  );
}
