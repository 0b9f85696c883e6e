/** Stands in for `@std/path` where JSR cannot be reached. */
export { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
export { fileURLToPath as fromFileUrl, pathToFileURL as toFileUrl } from "node:url";
