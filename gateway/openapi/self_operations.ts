import { z } from "zod";
import { PUBLIC_PATHS } from "../http/public_paths.ts";
import type { Operation, Reply } from "./operation.ts";

/** Headers of conditional requests. */
export const conditionalHeaders = z.object({
  "If-None-Match": z.string().optional().describe("The `ETag` of an earlier answer"),
});

/** Returns the operations that both listeners offer: the description, and its page. */
export function selfOperations(tag: string): readonly Operation[] {
  const replies = (description: string, content: NonNullable<Reply["content"]>) => {
    const headers = ["ETag", "Cache-Control"] as const;
    return {
      200: { description, content, headers },
      304: { description: "Not modified", headers },
    };
  };
  const common = { method: "get", tag, access: "anyone", headers: conditionalHeaders } as const;
  return [
    {
      ...common,
      path: PUBLIC_PATHS.document,
      id: "getDescription",
      summary: "This description",
      replies: replies("An OpenAPI 3.1 document", {
        "application/json": { schema: z.looseObject({ openapi: z.string() }) },
      }),
    },
    {
      ...common,
      path: PUBLIC_PATHS.reference,
      id: "getReference",
      summary: "This description as a page for people",
      replies: replies("A page without scripts", { "text/html": { schema: z.string() } }),
    },
  ];
}
