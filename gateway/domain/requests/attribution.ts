/**
 * Attribution of a call: the tags and the user that its caller names, for the log and the sums.
 *
 * @module
 */

import { ServiceFault } from "../fault.ts";

/** Maximum number of tags of a call. */
export const TAGS_MAX = 8;
/** Maximum number of characters of the name of a user. */
export const USER_CHARS_MAX = 256;
/** Name of the header that has the tags. */
export const TAG_HEADER = "X-Tag";

/** Pattern of the name of a tag. */
export const TAG_NAME = "[A-Za-z][A-Za-z0-9_.-]{0,31}";
/** Pattern of the value of a tag: its characters are the same in JSON text. */
const TAG_VALUE = "[A-Za-z0-9_.:/@+=~!?*()-]{1,64}";

/** A tag as a filter gives it: `name=value`. */
export const TAG_PATTERN: RegExp = new RegExp(`^${TAG_NAME}=${TAG_VALUE}$`);

/** The names that a caller gives a call. */
export interface Attribution {
  /** The member `user` of the body. */
  readonly user?: string | undefined;
  /** The member `safety_identifier` of the body. */
  readonly safetyIdentifier?: string | undefined;
  /** Each tag as `name=value`, in order of names, with commas between them. */
  readonly tags?: string | undefined;
}

/**
 * Returns the tags of a header in order of names; repeated headers arrive as one with commas. Throws
 * a {@linkcode ServiceFault} if a tag is malformed, is named twice, or is one too many.
 */
export function parseTags(header: string | null): string | undefined {
  if (header === null) return undefined;
  const tags = header.split(",", TAGS_MAX + 1).map((tag) => tag.trim());
  if (tags.length > TAGS_MAX) throw invalidTags(`Send at most ${TAGS_MAX} tags in X-Tag`);
  const names = new Set<string>();
  for (const tag of tags) {
    if (!TAG_PATTERN.test(tag)) {
      throw invalidTags(
        "Send each X-Tag as name=value: a name of a letter and up to 31 letters, digits and _.-, " +
          "a value of up to 64 letters, digits and _.:/@+=~!?*()-",
      );
    }
    const name = nameOf(tag);
    if (names.has(name)) throw invalidTags(`Send the tag "${name}" once`);
    names.add(name);
  }
  return tags.sort().join(",");
}

/** Returns the attribution of a call with these tags and this body; `undefined` if it has none. */
export function attributionOf(
  tags: string | undefined,
  body: Readonly<Record<string, unknown>>,
): Attribution | undefined {
  const users = usersOf(body);
  return tags === undefined ? users : { ...users, tags };
}

/**
 * Returns the user that a body names; `undefined` if it names none. Throws a
 * {@linkcode ServiceFault} if a name is too long or has control characters.
 */
export function usersOf(body: Readonly<Record<string, unknown>>): Attribution | undefined {
  const { user, safety_identifier: safetyIdentifier } = body;
  const hasUser = typeof user === "string" && user !== "";
  const hasIdentifier = typeof safetyIdentifier === "string" && safetyIdentifier !== "";
  if (!hasUser && !hasIdentifier) return undefined;
  return {
    ...hasUser && { user: checkedUser(user, "user") },
    ...hasIdentifier && {
      safetyIdentifier: checkedUser(safetyIdentifier, "safety_identifier"),
    },
  };
}

/** The user under which a call is summed: `user`, else `safety_identifier`. */
export function summedUser({ user, safetyIdentifier }: Attribution): string | undefined {
  return user ?? safetyIdentifier;
}

/** Returns the value of a tag among those of a call. */
export function valueOf(tags: string | undefined, name: string): string | undefined {
  if (tags === undefined) return undefined;
  return tags.split(",").find((tag) => nameOf(tag) === name)?.slice(name.length + 1);
}

/** True when a call has a tag, given as `name=value`. */
export function hasTag(tags: string | undefined, tag: string): boolean {
  return tags !== undefined && tags.split(",").includes(tag);
}

/** Returns tags as an object. */
export function tagsObject(tags: string | undefined): Record<string, string> {
  if (tags === undefined) return {};
  return Object.fromEntries(
    tags.split(",").map((tag) => {
      const name = nameOf(tag);
      return [name, tag.slice(name.length + 1)];
    }),
  );
}

function nameOf(tag: string): string {
  return tag.slice(0, tag.indexOf("="));
}

/** True for the name of a user: not too long, and without control characters. */
export function isUserName(name: string): boolean {
  return name.length <= USER_CHARS_MAX && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

function checkedUser(name: string, param: string): string {
  if (isUserName(name)) return name;
  throw new ServiceFault("invalid_request", {
    message: `Send ${param} as up to ${USER_CHARS_MAX} characters without control characters`,
    param,
  });
}

function invalidTags(message: string): ServiceFault {
  return new ServiceFault("invalid_request", { message, param: TAG_HEADER });
}
