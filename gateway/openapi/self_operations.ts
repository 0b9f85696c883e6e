import { z } from "zod";
import type { Operation } from "./operation.ts";

const headers = z.object({
  "If-None-Match": z.string().optional().meta({ description: "The `ETag` of an earlier answer" }),
});

/** The description itself, and the page that is made from it: what both listeners offer. */
export function selfOperations(tag: string): readonly Operation[] {
  const unchanged = {
    description: "Nothing has changed",
    headers: ["ETag", "Cache-Control"],
  } as const;
  return [
    {
      method: "get",
      path: "/openapi.json",
      id: "getDescription",
      tag,
      access: "anyone",
      summary: "This description",
      headers,
      replies: {
        200: {
          description: "An OpenAPI 3.1 document",
          content: { "application/json": { schema: z.looseObject({ openapi: z.string() }) } },
          headers: ["ETag", "Cache-Control"],
        },
        304: unchanged,
      },
    },
    {
      method: "get",
      path: "/reference",
      id: "getReference",
      tag,
      access: "anyone",
      summary: "This description as a page for people",
      headers,
      replies: {
        200: {
          description: "A page without scripts",
          content: { "text/html": { schema: z.string() } },
          headers: ["ETag", "Cache-Control"],
        },
        304: unchanged,
      },
    },
  ];
}
