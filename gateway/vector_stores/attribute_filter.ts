import type { AttributeFilter } from "@svc/sdk/protocol";
import type { FileAttributes } from "../ports/vector_stores.ts";

/**
 * True when a file's attributes pass a filter. An absent attribute equals nothing and has no order;
 * an attribute of another type than the value is neither greater nor less.
 */
export function passes(filter: AttributeFilter, attributes: FileAttributes): boolean {
  switch (filter.type) {
    case "and":
      return filter.filters.every((part) => passes(part, attributes));
    case "or":
      return filter.filters.some((part) => passes(part, attributes));
    case "in":
    case "nin": {
      const value = own(attributes, filter.key);
      return (value !== undefined && filter.value.includes(value)) === (filter.type === "in");
    }
    case "eq":
    case "ne":
      return (own(attributes, filter.key) === filter.value) === (filter.type === "eq");
    default:
      return ordered(filter.type, own(attributes, filter.key), filter.value);
  }
}

type Value = string | number | boolean;

function own(attributes: FileAttributes, key: string): Value | undefined {
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

function ordered(
  type: "gt" | "gte" | "lt" | "lte",
  value: Value | undefined,
  than: Value,
): boolean {
  if (typeof value !== typeof than || value === undefined) return false;
  if (type === "gt") return value > than;
  if (type === "gte") return value >= than;
  return type === "lt" ? value < than : value <= than;
}
