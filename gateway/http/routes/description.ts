/** A listener's description of itself, as OpenAPI and as a page. */
export interface ListenerDescription {
  /** Returns the OpenAPI document, or 304 for a client that has it. */
  document(request: Request): Promise<Response>;
  /** Returns the reference page; `address` is the base URL of the service, without a slash at its end. */
  page(request: Request, address: string): Promise<Response>;
}

/** What of a request's context the two routes need, on either listener. */
interface Asked {
  readonly req: { readonly raw: Request; readonly url: string };
  get(name: "requestId"): string;
}

/** Where the service is called; empty where only the request tells. */
type Address = () => string;

/** `GET /openapi.json`: public, since it holds no data. */
export function getDocument(description: ListenerDescription): (c: Asked) => Promise<Response> {
  return async (c) => named(await description.document(c.req.raw), c);
}

/** `GET /reference`; the address stands in its commands. */
export function getReference(
  description: ListenerDescription,
  address: Address = () => "",
): (c: Asked) => Promise<Response> {
  return async (c) => {
    const url = address() || new URL(c.req.url).origin;
    return named(await description.page(c.req.raw, url), c);
  };
}

function named(response: Response, c: Asked): Response {
  response.headers.set("x-request-id", c.get("requestId"));
  return response;
}
