/**
 * Stands between an instance and its database, and counts round trips: each time that the instance
 * sends something after the database has answered. Statements that are sent together are one.
 *
 * @module
 */

/** A proxy on a port of its own. It ends all connections when it is disposed of. */
export class CountingProxy implements Disposable {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<Deno.Conn>();
  readonly #to: number;
  /** Round trips of all connections so far. */
  roundTrips = 0;

  /** `to`: the port of the database. */
  constructor(to: number) {
    this.#to = to;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    void this.#accept();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      void this.#serve(client).catch(() => {
        // The database is away: the instance connects again.
        client.close();
      });
    }
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#to });
    for (const conn of [client, server]) {
      conn.setNoDelay(true);
      this.#open.add(conn);
    }
    let isAnswered = true;
    const requests = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        if (isAnswered) this.roundTrips++;
        isAnswered = false;
        controller.enqueue(bytes);
      },
    });
    const answers = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        isAnswered = true;
        controller.enqueue(bytes);
      },
    });
    // One of the two ends the other; how they ended is the concern of those who speak.
    await Promise.allSettled([
      client.readable.pipeThrough(requests).pipeTo(server.writable),
      server.readable.pipeThrough(answers).pipeTo(client.writable),
    ]);
    for (const conn of [client, server]) this.#open.delete(conn);
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const conn of this.#open) {
      try {
        conn.close();
      } catch {
        // It has ended already.
      }
    }
  }
}
