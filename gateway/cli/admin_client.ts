import { ERROR_TABLE, isJsonObject } from "@svc/sdk/protocol";
import type { CliIo } from "./io.ts";
import { CliFailure, UsageError } from "./failures.ts";
import type { Row } from "./output/json_fields.ts";

/** Default address of the operator's API. */
const DEFAULT_URL = "http://127.0.0.1:8788";

/** Media type of JSON lines. */
const NDJSON = "application/x-ndjson";

/** Contents of a request besides its path. */
export interface Sent {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** A file to send, with its description. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** One line of a streamed response, as text and decoded. */
export interface AnswerLine {
  readonly text: string;
  readonly row: Row;
}

/** A response that is read while it is produced. */
export interface StreamedAnswer {
  readonly headers: Headers;
  /**
   * Lines in the batches in which they arrive. Throws the gateway's error if the last line is one.
   */
  readonly lines: AsyncGenerator<readonly AnswerLine[], void>;
}

type Sending = Sent & Partial<Upload>;

/** Address and token of the gateway, and the token's source unless a command supplied it. */
interface Entry {
  readonly url: string;
  readonly token: string;
  readonly source: "variable" | "store" | undefined;
}

/** The outcome of the request is unknown: the service failed, or its response did not arrive. */
export class UnclearFailure extends CliFailure {
  override name = "UnclearFailure";
}

/** The service could not be reached, or the connection broke. */
export class UnreachableFailure extends UnclearFailure {
  override name = "UnreachableFailure";
}

/** The command line has no token. */
export class NoTokenFailure extends CliFailure {
  override name = "NoTokenFailure";
}

/** Client of the operator's API. Looks up its credentials on first use. */
export class AdminClient {
  readonly #io: CliIo;
  readonly #token: string | undefined;

  /** `token` replaces the one that the command line finds. */
  constructor(io: CliIo, token?: string) {
    this.#io = io;
    this.#token = token;
  }

  /** Returns a client with another token. */
  withToken(token: string): AdminClient {
    return new AdminClient(this.#io, token);
  }

  /** Reads `/admin/v1` + path. */
  get(path: string, query: Sent["query"] = {}): Promise<Row> {
    return this.#send("GET", path, { query });
  }

  /** Posts to `/admin/v1` + path. */
  post(path: string, body: unknown = {}): Promise<Row> {
    return this.#send("POST", path, { body });
  }

  /** Deletes `/admin/v1` + path. */
  delete(path: string): Promise<Row> {
    return this.#send("DELETE", path, {});
  }

  /** Sends a file to `/admin/v1` + path. */
  upload(path: string, file: Upload): Promise<Row> {
    const { bytes, mediaType, query } = file;
    return this.#send("POST", path, { query: query ?? {}, bytes, mediaType });
  }

  /**
   * Streams `/admin/v1` + path line by line. A consumer that stops iterating ends the work there.
   */
  async stream(path: string, query: Sent["query"] = {}): Promise<StreamedAnswer> {
    const { url, token, source } = await this.#credentials();
    const headers = { authorization: `Bearer ${token}`, accept: NDJSON };
    const response = await this.#fetch({ url, path, query }, { method: "GET", headers });
    const isStream = response.headers.get("content-type")?.startsWith(NDJSON) === true;
    if (response.ok && isStream && response.body !== null) {
      return { headers: response.headers, lines: linesOf(response.body, url) };
    }
    readAnswer(response, await textOf(response, url), { url, query, source });
    throw strangeAnswer(url, response);
  }

  async #send(method: "GET" | "POST" | "DELETE", path: string, sent: Sending): Promise<Row> {
    const { url, token, source } = await this.#credentials();
    const { query = {} } = sent;
    const type = sent.mediaType ?? "application/json";
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const content = sent.body === undefined ? sent.bytes : JSON.stringify(sent.body);
    const body = content === undefined ? {} : { body: content };
    const response = await this.#fetch({ url, path, query }, { method, headers, ...body });
    return readAnswer(response, await textOf(response, url), { url, query, source });
  }

  async #fetch(
    { url, path, query }: { url: string; path: string; query: Sent["query"] },
    init: RequestInit,
  ): Promise<Response> {
    const address = addressOf(url, path, query);
    try {
      // A redirect would carry the token to another host.
      return await this.#io.fetch(address, { ...init, redirect: "error" });
    } catch (cause) {
      throw unreachable(url, cause);
    }
  }

  async #credentials(): Promise<Entry> {
    const { SERVICE_ADMIN_URL: url, SERVICE_ADMIN_TOKEN: variable } = this.#io.env;
    const token = this.#token ?? variable;
    const left = url && token ? undefined : await this.#io.readCredentials();
    const found = token || left?.token;
    if (!found) {
      throw new NoTokenFailure(
        "There is no admin token: set SERVICE_ADMIN_TOKEN, or run this where the gateway was " +
          "first started, with its SERVICE_KV_PATH",
      );
    }
    const source = this.#token !== undefined ? undefined : variable ? "variable" : "store";
    return { url: url || left?.url || DEFAULT_URL, token: found, source };
  }
}

async function textOf(response: Response, url: string): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw unreachable(url, cause);
  }
}

function unreachable(url: string, cause: unknown): UnreachableFailure {
  return new UnreachableFailure(
    `Cannot reach the gateway at ${url}: start it with \`svc serve\`, in a checkout ` +
      "`deno task serve`, or set SERVICE_ADMIN_URL",
    { cause },
  );
}

async function* linesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  url: string,
): AsyncGenerator<readonly AnswerLine[], void> {
  let rest = "";
  try {
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const texts = (rest + piece).split("\n");
      rest = texts.pop() ?? "";
      if (texts.length > 0) yield texts.map((text) => readLine(text, url));
    }
  } catch (cause) {
    if (cause instanceof CliFailure) throw cause;
    throw new UnreachableFailure(`The connection to the gateway at ${url} broke: run this again`, {
      cause,
    });
  }
}

function readLine(text: string, url: string): AnswerLine {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    row = undefined;
  }
  if (!isJsonObject(row)) {
    throw new CliFailure(`What answers at ${url} is not the gateway's admin API`);
  }
  if (!isJsonObject(row.error)) return { text, row };
  throw new CliFailure(`${String(row.error.message)} (request ${String(row.error.request_id)})`);
}

function strangeAnswer(url: string, { status }: Response): CliFailure {
  return new UnclearFailure(
    `What answers at ${url} is not the gateway's admin API (status ${status})` +
      (status === 404 ? ": SERVICE_ADMIN_URL must be the address of its admin listener" : ""),
  );
}

function notLetIn(url: string, source: "variable" | "store"): CliFailure {
  return new CliFailure(
    `The gateway at ${url} does not let in the admin token ` +
      (source === "variable"
        ? "of SERVICE_ADMIN_TOKEN: give the one in force, or unset it beside the gateway's store"
        : "that lies beside the store: give that gateway's own by SERVICE_ADMIN_TOKEN"),
  );
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
  { url, query, source }: Pick<Entry, "url" | "source"> & {
    readonly query: Readonly<Record<string, unknown>>;
  },
): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (response.ok && isJsonObject(value)) return value;
  const error = isJsonObject(value) && isJsonObject(value.error) ? value.error : undefined;
  if (typeof error?.message === "string") {
    const param = typeof error.param === "string" ? error.param : "";
    // Query fields are values of flags.
    if (response.status === 400 && Object.hasOwn(query, param)) {
      const flag = param === "q" ? "match" : param.replaceAll("_", "-");
      throw new UsageError(error.message.replace(`"${param}"`, `--${flag}`));
    }
    if (error.code === "invalid_api_key" && source !== undefined) throw notLetIn(url, source);
    if (error.message === ERROR_TABLE.not_found.message) throw strangeAnswer(url, response);
    if (response.status < 500) throw new CliFailure(error.message);
    throw new UnclearFailure(`${error.message} (request ${String(error.request_id)})`);
  }
  throw strangeAnswer(url, response);
}
