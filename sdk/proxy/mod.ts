/**
 * Lets the browser code of an application call a model through the application's own server, which
 * alone holds the key.
 *
 * @module
 */

export type { ProxyBody } from "./request.ts";
export {
  type ProxyHandler,
  type ProxyPath,
  serviceProxy,
  type ServiceProxyOptions,
} from "./service_proxy.ts";
