export * from "./protocol/mod.ts";
