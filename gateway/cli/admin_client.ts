import { ERROR_TABLE, isJsonObject } from "@svc/sdk/protocol";
import { type HttpCall, httpCall, type UncheckedArguments } from "../admin_api/call.ts";
import type { AnswerOf, Target } from "../admin_api/operations.ts";
import { CliFailure, UsageError } from "./failures.ts";
import type { CliIo } from "./io.ts";

/** Default address of the operator's API. */
const DEFAULT_URL = "http://127.0.0.1:8788";

/** Media type of JSON lines. */
const NDJSON = "application/x-ndjson";

/** A file to send. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
}

/** One line of a streamed response, as text and decoded. */
export interface AnswerLine<Line> {
  readonly text: string;
  readonly value: Line;
}

/** A response that is read while it is produced. */
export interface StreamedAnswer<Line> {
  readonly headers: Headers;
  /** Batches of lines as they arrive. Throws the gateway's error if the last line is one. */
  readonly lines: AsyncGenerator<readonly AnswerLine<Line>[], void>;
}

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

  /** Calls an operation. A refusal throws a {@linkcode CliFailure} with its message. */
  async call<Name extends Target>(
    target: Name,
    ...args: UncheckedArguments<Name>
  ): Promise<AnswerOf<Name>> {
    const call = httpCall(target, ...args);
    return await this.#send(call, { content: call.body, mediaType: "application/json" });
  }

  /** Calls an operation whose body is a file. */
  async upload<Name extends Target>(
    target: Name,
    { bytes, mediaType }: Upload,
    ...args: UncheckedArguments<Name>
  ): Promise<AnswerOf<Name>> {
    return await this.#send(httpCall(target, ...args), { content: bytes, mediaType });
  }

  /** Streams an operation line by line. A consumer that stops iterating ends the work there. */
  async stream<Name extends Target, Line>(
    target: Name,
    ...args: UncheckedArguments<Name>
  ): Promise<StreamedAnswer<Line>> {
    const call = httpCall(target, ...args);
    const entry = await this.#credentials();
    const { url, token } = entry;
    const headers = { authorization: `Bearer ${token}`, accept: NDJSON };
    const response = await this.#fetch(url, call, { headers });
    const isStream = response.headers.get("content-type")?.startsWith(NDJSON) === true;
    if (response.ok && isStream && response.body !== null) {
      return { headers: response.headers, lines: linesOf(response.body, url) };
    }
    readAnswer(response, await bodyOf(response, url), { entry, call });
    throw strangeAnswer(url, response);
  }

  async #send<Answer>(
    call: HttpCall,
    { content, mediaType }: { content: BodyInit | undefined; mediaType: string },
  ): Promise<Answer> {
    const entry = await this.#credentials();
    const { url, token } = entry;
    const headers = { authorization: `Bearer ${token}`, "content-type": mediaType };
    const body = content === undefined ? {} : { body: content };
    const response = await this.#fetch(url, call, { headers, ...body });
    return readAnswer(response, await bodyOf(response, url), { entry, call });
  }

  async #fetch(url: string, { method, path }: HttpCall, init: RequestInit): Promise<Response> {
    const base = url.replace(/\/+$/, "");
    if (!/^https?:\/\//.test(base) || !URL.canParse(base)) {
      throw new CliFailure(`Cannot use SERVICE_ADMIN_URL "${url}": give an http or https address`);
    }
    try {
      // A redirect would carry the token to another host.
      const address = `${base}/admin/v1${path}`;
      return await this.#io.fetch(address, { ...init, method, redirect: "error" });
    } catch (cause) {
      throw unreachable(url, cause);
    }
  }

  async #credentials(): Promise<Entry> {
    const { SERVICE_ADMIN_URL: url, SERVICE_ADMIN_TOKEN: variable } = this.#io.env;
    const token = this.#token ?? variable;
    const stored = url && token ? undefined : await this.#io.readCredentials();
    const usedToken = token || stored?.token;
    if (!usedToken) {
      throw new NoTokenFailure(
        "There is no admin token: set SERVICE_ADMIN_TOKEN, or run this where the gateway was " +
          "first started, with its SERVICE_STORE or SERVICE_CREDENTIALS_FILE",
      );
    }
    const source = this.#token !== undefined ? undefined : variable ? "variable" : "store";
    return { url: url || stored?.url || DEFAULT_URL, token: usedToken, source };
  }
}

async function bodyOf(response: Response, url: string): Promise<string> {
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

async function* linesOf<Line>(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  url: string,
): AsyncGenerator<readonly AnswerLine<Line>[], void> {
  let rest = "";
  try {
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const texts = (rest + piece).split("\n");
      rest = texts.pop() ?? "";
      if (texts.length > 0) yield texts.map((text) => readLine<Line>(text, url));
    }
  } catch (cause) {
    if (cause instanceof CliFailure) throw cause;
    throw new UnreachableFailure(`The connection to the gateway at ${url} broke: run this again`, {
      cause,
    });
  }
}

function readLine<Line>(text: string, url: string): AnswerLine<Line> {
  const value = decoded(text);
  if (!isJsonObject(value)) {
    throw new CliFailure(`The server at ${url} is not the gateway's admin API`);
  }
  const { error } = value;
  if (!isJsonObject(error)) return { text, value: value as Line };
  throw new CliFailure(`${String(error.message)} (request ${String(error.request_id)})`);
}

/** Decodes JSON; `undefined` for other text. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function strangeAnswer(url: string, { status }: Response): CliFailure {
  return new UnclearFailure(
    `The server at ${url} is not the gateway's admin API (status ${status})` +
      (status === 404 ? ": SERVICE_ADMIN_URL must be the address of its admin listener" : ""),
  );
}

function notLetIn(url: string, source: "variable" | "store"): CliFailure {
  return new CliFailure(
    `The gateway at ${url} refuses the admin token ` +
      (source === "variable"
        ? "of SERVICE_ADMIN_TOKEN: give the one in force, or unset it beside the gateway's store"
        : "that lies beside the store: give that gateway's own by SERVICE_ADMIN_TOKEN"),
  );
}

/** Returns the decoded answer of a call. Its type is what this version's API promises. */
function readAnswer<Answer>(
  response: Response,
  text: string,
  { entry: { url, source }, call }: { readonly entry: Entry; readonly call: HttpCall },
): Answer {
  const value = decoded(text);
  if (response.ok && isJsonObject(value)) return value as Answer;
  const error = isJsonObject(value) && isJsonObject(value.error) ? value.error : undefined;
  if (typeof error?.message === "string") {
    const param = typeof error.param === "string" ? error.param : "";
    // Query fields are values of flags.
    if (response.status === 400 && new URLSearchParams(call.path.split("?")[1]).has(param)) {
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
