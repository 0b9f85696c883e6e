/**
 * Reads the problems that the operator's API finds in a catalog, entry by entry and field by field. It
 * reports all of them in one message, in which entries have indexes in place of ids.
 *
 * @module
 */

import type { Refusal } from "../../api.ts";
import { idsOf } from "./content.ts";

/** One entry that is wrong. */
export interface Problem {
  /** Part of the catalog, such as `models`; empty where it is about none. */
  readonly part: string;
  /** Of the entry in that part, where it has one. */
  readonly id: string | undefined;
  /** Below the entry, such as `price.inputPerMTok`; empty for all of it. */
  readonly field: string;
  /** The sentence. */
  readonly text: string;
}

const BEGINNING = "Cannot use the configuration: ";
/** Separator before the next problem: it begins with a path and a colon. */
const BETWEEN = /; (?=[A-Za-z]+(?:\.[\w-]+)*: )/;
const PATH = /^([A-Za-z]+(?:\.[\w-]+)*): ([^]*)$/;

/** Every problem that a refusal names, of the catalog that was sent. */
export function problemsOf({ message, param }: Refusal, content: unknown): readonly Problem[] {
  if (!message.startsWith(BEGINNING)) return [problemAt(param ?? "", message, content)];
  return message.slice(BEGINNING.length).split(BETWEEN).map((one) => {
    const [, path = "", text = one] = PATH.exec(one) ?? [];
    return problemAt(path, text, content);
  });
}

/** A problem as a line, with the name of the entry that it is about. */
export function problemText({ part, id, field, text }: Problem): string {
  const place = [part, id, field].filter(Boolean).join(".");
  return place === "" ? text : `${place}: ${text}`;
}

function problemAt(path: string, text: string, content: unknown): Problem {
  const [part = "", place = "", ...rest] = path.split(".");
  const [known] = idsOf(content);
  const list = part === "models" || part === "tiers" || part === "upstreams" ? known?.[part] : [];
  const entry = /^\d+$/.test(place) ? list?.[Number(place)] : undefined;
  if (entry !== undefined) return { part, id: entry.id, field: rest.join("."), text };
  return { part, id: undefined, field: path.slice(part.length + 1), text };
}
