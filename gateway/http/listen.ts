/**
 * The only code that listens. It passes a request on once it can be read in one way only and names
 * a host that the listener accepts.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { Rng } from "../ports/rng.ts";
import { allowedHosts } from "./allowed_hosts.ts";
import { edgeFault } from "./edge_fault.ts";
import type { ConnectionInfo } from "./env.ts";
import { errorResponse } from "./error_response.ts";
import type { RefusalLog } from "./refusal_log.ts";
import { remoteAddress } from "./remote_address.ts";
import { dropBody } from "./unread_body.ts";

/** An application that answers requests. */
export interface Answering {
  fetch(request: Request, connection: ConnectionInfo): Response | Promise<Response>;
}

/** Options of {@linkcode listen}. */
export interface ListenOptions {
  readonly hostname: string;
  /** 0 is any free port. */
  readonly port: number;
  /** CIDR ranges of proxies whose forwarded address counts. */
  readonly trustedProxies: readonly string[];
  readonly rng: Rng;
  /**
   * Names that `Host` may have, see {@linkcode allowedHosts}.
   *
   * @default {those of a public listener without a public URL}
   */
  readonly allowedHosts?: readonly string[] | "any";
  /** Log of answers with status 401. */
  readonly refusals?: RefusalLog;
  /**
   * Called with the code of every request that is refused before the application. @default {not
   * called}
   */
  readonly onFault?: (code: ErrorCode) => void;
}

/** Starts to listen. Throws where the address is in use or not permitted. */
export function listen(app: Answering, options: ListenOptions): Deno.HttpServer<Deno.NetAddr> {
  const { hostname, port, trustedProxies, rng, refusals, onFault } = options;
  const hosts = options.allowedHosts ?? allowedHosts({ listener: "public", host: hostname });
  const allowed = hosts === "any" ? undefined : new Set(hosts);
  return Deno.serve({ hostname, port, onListen: () => {} }, async (request, info) => {
    const fault = edgeFault(request, allowed);
    if (fault !== undefined) {
      onFault?.(fault.code);
      await dropBody(request);
      return errorResponse(fault, rng.id("req"));
    }
    const address = remoteAddress(info.remoteAddr.hostname, request.headers, trustedProxies);
    const answer = await app.fetch(asGet(request), { remoteAddress: address });
    if (answer.status === 401) {
      const requestId = answer.headers.get("x-request-id") ?? "";
      refusals?.note({ requestId, remoteAddress: address });
    }
    if (answer.status >= 400) await dropBody(request);
    return answer;
  });
}

/**
 * Returns a `HEAD` request as `GET`. The platform drops the body of an answer to `HEAD` and still
 * sends its length; an application that dropped it itself would report a length of 0 for `GET`.
 */
function asGet(request: Request): Request {
  return request.method === "HEAD" ? new Request(request, { method: "GET" }) : request;
}
