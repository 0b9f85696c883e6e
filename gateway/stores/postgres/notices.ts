import { type Client, Clients } from "./clients.ts";
import type { Link } from "./link.ts";

/** Time after which a lost connection is made again, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Notices of the database, over a connection of their own. After a loss it connects again as long as
 * somebody listens. Notices of the time between are lost: listeners ask besides.
 */
export class Notices {
  readonly #clients: Clients;
  readonly #listeners = new Map<string, Set<() => void>>();
  #client: Promise<Client> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(link: Link) {
    this.#clients = new Clients(link, {
      max: 1,
      onNotice: (channel) => {
        for (const tell of this.#listeners.get(channel) ?? []) tell();
      },
    });
  }

  /** Calls a function with each notice on a channel. */
  async listen(channel: string, tell: () => void): Promise<{ unlisten(): Promise<void> }> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(tell));
    const unlisten = async () => {
      listeners.delete(tell);
      if (listeners.size === 0) await this.#leave(channel);
    };
    try {
      const client = await (this.#client ??= this.#connected());
      await client.query(`listen ${channel}`);
    } catch (error) {
      await unlisten();
      throw error;
    }
    return { unlisten };
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    await this.#release();
    await this.#clients.end(0);
  }

  async #leave(channel: string): Promise<void> {
    this.#listeners.delete(channel);
    if (this.#listeners.size === 0) return await this.#release();
    const client = await this.#client?.catch(() => undefined);
    // A lost connection listens to nothing.
    await client?.query(`unlisten ${channel}`).catch(() => {});
  }

  async #release(): Promise<void> {
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    (await client?.catch(() => undefined))?.release(true);
  }

  async #connected(): Promise<Client> {
    let client: Client | undefined;
    try {
      client = await this.#clients.take();
      for (const channel of this.#listeners.keys()) await client.query(`listen ${channel}`);
      const taken = client;
      taken.on("end", () => this.#lost(taken));
      return taken;
    } catch (error) {
      client?.release(true);
      this.#client = undefined;
      throw error;
    }
  }

  #lost(client: Client): void {
    void this.#client?.then((own) => {
      if (own !== client) return;
      this.#client = undefined;
      client.release(true);
      this.#retryLater();
    }, () => {});
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#client ??= this.#connected();
      this.#client.catch(() => this.#retryLater());
    }, RETRY_MS);
  }
}
