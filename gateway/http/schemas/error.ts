import { ERROR_TABLE, type ErrorCode } from "@svc/sdk/protocol";
import { z } from "zod";

const codes = Object.keys(ERROR_TABLE) as [ErrorCode, ...ErrorCode[]];
const types = [...new Set(Object.values(ERROR_TABLE).map((row) => row.type))];

/** Body of every error answer. */
export const errorEnvelopeSchema = z.looseObject({
  error: z.looseObject({
    message: z.string().describe("The problem and its remedy, in one sentence"),
    type: z.enum(types),
    code: z.enum(codes),
    param: z.string().nullable().describe("Path of the offending field"),
    request_id: z.string().describe("The request to quote to the operator"),
  }),
}).meta({ id: "ErrorEnvelope" });
