/**
 * Receivers of notifications: a server of hooks, and a small SMTP server.
 *
 * @module
 */

/** A request to a hook. */
export interface HookRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A server of hooks on this machine. */
export class HookServer implements AsyncDisposable {
  readonly requests: HookRequest[] = [];
  /** Returns the answer to the hook at a path. @default {each is accepted} */
  answer: (path: string) => Response | Promise<Response> = () => new Response();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, async (request) => {
      const { pathname: path } = new URL(request.url);
      this.requests.push({ path, headers: request.headers, body: await request.text() });
      return await this.answer(path);
    });
  }

  /** Address of a hook. */
  url(path: string): string {
    return `http://127.0.0.1:${this.#server.addr.port}${path}`;
  }

  /** The requests to one hook. */
  at(path: string): readonly HookRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** A mail server that takes every letter: commands as lines, one letter after DATA. */
export class MailServer implements AsyncDisposable {
  readonly letters: string[] = [];
  readonly commands: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving: Promise<void>;

  constructor() {
    this.#serving = this.#serve();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async #serve(): Promise<void> {
    const talks: Promise<void>[] = [];
    for await (const connection of this.#listener) talks.push(this.#talk(connection));
    await Promise.all(talks);
  }

  async #talk(connection: Deno.TcpConn): Promise<void> {
    const writer = connection.writable.getWriter();
    const say = (line: string) => writer.write(new TextEncoder().encode(`${line}\r\n`));
    await say("220 mail.test ESMTP");
    let text = "";
    let isLetter = false;
    for await (const piece of connection.readable.pipeThrough(new TextDecoderStream())) {
      text += piece;
      for (;;) {
        const end = isLetter ? "\r\n.\r\n" : "\r\n";
        const at = text.indexOf(end);
        if (at < 0) break;
        const part = text.slice(0, at);
        text = text.slice(at + end.length);
        if (isLetter) this.letters.push(part);
        else this.commands.push(part);
        const command: string = isLetter ? "" : part.slice(0, 4).toUpperCase();
        isLetter = command === "DATA";
        await say(REPLIES[command] ?? "250 OK");
        if (command === "QUIT") return await writer.close();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving.catch(() => {});
  }
}

const REPLIES: Readonly<Record<string, string>> = {
  DATA: "354 Go on",
  QUIT: "221 Bye",
};
