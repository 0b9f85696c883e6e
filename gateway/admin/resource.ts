import { ServiceFault } from "../domain/fault.ts";
import type { AdminApp, AdminContext } from "./deps.ts";

/** Handlers of the methods of one address. */
export interface Methods {
  readonly GET?: (context: AdminContext) => Promise<Response> | Response;
  readonly POST?: (context: AdminContext) => Promise<Response> | Response;
  readonly DELETE?: (context: AdminContext) => Promise<Response> | Response;
}

/** Serves an address: the given methods, and 405 with `Allow` for all others. */
export function resource(app: AdminApp, path: string, methods: Methods): void {
  if (methods.GET !== undefined) app.get(path, methods.GET);
  if (methods.POST !== undefined) app.post(path, methods.POST);
  if (methods.DELETE !== undefined) app.delete(path, methods.DELETE);
  const allow = Object.keys(methods).join(", ");
  app.all(path, () => {
    throw new ServiceFault("method_not_allowed", {
      message: `This address takes ${allow} only`,
      headers: { allow },
    });
  });
}
