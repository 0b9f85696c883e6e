import { strict } from "../admin_api/fields.ts";
import { KEY_HOLDER_OPERATIONS, type KeyHolderOperation } from "../admin_api/key_holder.ts";
import { queryFields } from "../admin_api/query_fields.ts";
import { JSON_TYPE, type Operation } from "./operation.ts";

/** The operations of a key's own records, derived from the table by which they are served. */
export const OWN_RECORD_OPERATIONS: readonly Operation[] = Object
  .values<KeyHolderOperation>(KEY_HOLDER_OPERATIONS)
  .map(({ path, method, id, summary, description, query, answer, codes = [] }) => ({
    method: method === "POST" ? "post" : "get",
    ...{ path, id, summary, codes },
    tag: "Own records",
    access: "key",
    description: ["An extension.", description].filter(Boolean).join(" "),
    ...query === undefined ? {} : { query: strict(query(queryFields(0))) },
    replies: {
      200: {
        description: "The answer",
        content: { [JSON_TYPE]: { schema: answer } },
        headers: ["Cache-Control"],
      },
    },
  }));
