/** What an application that types its tools with zod loads. */

export * from "@svc/tools";
export { z } from "zod";
