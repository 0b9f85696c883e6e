/** The imports of an application that types its tools with zod. */

export * from "@svc/tools";
export { z } from "zod";
