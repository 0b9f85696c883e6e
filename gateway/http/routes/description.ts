/** Description of a listener, as OpenAPI and as a page. */
export interface ListenerDescription {
  /** Returns the OpenAPI document, or 304 for a client that has it. */
  document(request: Request): Promise<Response>;
  /** Returns the reference page; `address` is the base URL of the service, without a slash at its end. */
  page(request: Request, address: string): Promise<Response>;
}

/** Members of a request context that the two routes need, on either listener. */
interface DescriptionContext {
  readonly req: { readonly raw: Request; readonly url: string };
  get(name: "requestId"): string;
}

/** Returns the base URL of the service; empty where only the request has it. */
type Address = () => string;

/** Handles `GET /openapi.json`, which needs no key: it holds no data. */
export function getDocument(
  description: ListenerDescription,
): (c: DescriptionContext) => Promise<Response> {
  return async (c) => named(await description.document(c.req.raw), c);
}

/** Handles `GET /reference`; the commands on the page have the address. */
export function getReference(
  description: ListenerDescription,
  address: Address = () => "",
): (c: DescriptionContext) => Promise<Response> {
  return async (c) => {
    const url = address() || new URL(c.req.url).origin;
    return named(await description.page(c.req.raw, url), c);
  };
}

function named(response: Response, c: DescriptionContext): Response {
  response.headers.set("x-request-id", c.get("requestId"));
  return response;
}
