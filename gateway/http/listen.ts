/**
 * The only place that listens. It hands a request on once its Host header is one that the URL can
 * be read by: a hostile Host changes the path that `request.url` shows.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import type { Rng } from "../ports/rng.ts";
import type { ConnectionInfo } from "./env.ts";
import { errorResponse } from "./error_response.ts";
import { remoteAddress } from "./remote_address.ts";

const HOST = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** An application that answers requests. */
export interface Answering {
  fetch(request: Request, connection: ConnectionInfo): Response | Promise<Response>;
}

/** Where to listen. */
export interface ListenOptions {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  /** CIDR ranges of proxies whose forwarded address counts. */
  readonly trustedProxies: readonly string[];
  readonly rng: Rng;
}

/** Starts to listen. Throws where the address is taken or not permitted. */
export function listen(app: Answering, options: ListenOptions): Deno.HttpServer<Deno.NetAddr> {
  const { hostname, port, trustedProxies, rng } = options;
  return Deno.serve({ hostname, port, onListen: () => {} }, (request, info) => {
    if (!HOST.test(request.headers.get("host") ?? "")) {
      const fault = new ServiceFault("invalid_request", {
        message: "Send one Host header with a host name or an address",
        param: "Host",
      });
      return errorResponse(fault, rng.id("req"));
    }
    const peer = info.remoteAddr.hostname;
    return app.fetch(request, {
      remoteAddress: remoteAddress(peer, request.headers, trustedProxies),
    });
  });
}
