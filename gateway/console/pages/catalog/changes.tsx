import { isJsonObject } from "@svc/sdk/protocol";
import type { Child } from "@hono/hono/jsx";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import type { CatalogIds } from "./content.ts";
import { editMessages } from "./edit_messages.ts";

/** One difference between two catalogs. */
export type Change = AnswerOf<"POST /catalog/apply">["changes"][number];

const KINDS = { added: "good", removed: "bad", changed: "warn" } as const;
/** Things that differ up to which all of them are open. */
const OPEN_MAX = 3;
const LISTS = ["upstreams", "models", "tiers"] as const;

/** An entry of the catalog with what differs in it. */
interface Group {
  /** Part of the catalog, such as `models`. */
  readonly part: string;
  /** Empty where the part is one entry. */
  readonly id: string;
  readonly kind: Change["kind"];
  readonly fields: readonly Field[];
}

interface Field extends Omit<Change, "path"> {
  /** Below the entry, such as `price.inputPerMTok`; empty for the entry itself. */
  readonly name: string;
}

/**
 * A difference, entry by entry and field by field, the old value before the new one. `contents` are both
 * catalogs, or what is known of them: an id may hold dots, and a path alone does not say where it ends.
 */
export function Changes({ view, changes, contents }: InView<{
  changes: readonly Change[];
  contents: readonly CatalogIds[];
}>) {
  const groups = grouped(changes, contents);
  return (
    <div class="differences">
      {groups.map((group) => (
        <GroupOfChanges
          key={`${group.part} ${group.id}`}
          view={view}
          group={group}
          isOpen={groups.length <= OPEN_MAX}
        />
      ))}
    </div>
  );
}

/**
 * The changes of one entry. An entry that was added or removed as a whole is folded when there are many
 * others.
 */
function GroupOfChanges({ view, group, isOpen }: InView<{ group: Group; isOpen: boolean }>) {
  const say = view.say(editMessages);
  const { part, id, kind, fields } = group;
  const name = Object.entries(say.entries).find(([known]) => known === part)?.[1] ?? part;
  const heading = (
    <h3>
      {part === "tiers" && id === "" ? say.tierOrder : name}
      {id !== "" && <code>{ui.shownText(id)}</code>}
      <ui.Badge kind={KINDS[kind]}>{say[kind]}</ui.Badge>
    </h3>
  );
  const list = (
    <dl>
      {fields.flatMap(flat).map((field) => (
        <FieldChange key={field.name} view={view} field={field} />
      ))}
    </dl>
  );
  if (kind === "changed") return <section class="difference">{heading}{list}</section>;
  return (
    <details class="difference" open={isOpen}>
      <summary>{heading}</summary>
      {list}
    </details>
  );
}

function FieldChange({ view, field }: InView<{ field: Field }>) {
  const say = view.say(editMessages);
  const { name, before, after, kind } = field;
  const [removed, added] = listChange(before, after);
  return (
    <div>
      {name !== "" && <dt>{ui.shownText(name)}</dt>}
      <dd>
        {kind !== "added" && <Value as="del" label={say.before}>{removed}</Value>}
        {kind === "changed" && <span class="arrow" aria-hidden="true">→</span>}
        {kind !== "removed" && <Value as="ins" label={say.after}>{added}</Value>}
        {growth(before, after)}
      </dd>
    </div>
  );
}

function Value(
  { as: Tag, label, children }: { as: "del" | "ins"; label: string; children: Child },
) {
  return (
    <Tag>
      <span class="unseen">{`${label} `}</span>
      {children}
    </Tag>
  );
}

/** Marks the members that only one of two lists has; the others stay plain. */
function listChange(before: unknown, after: unknown): [Child, Child] {
  if (!isNames(before) || !isNames(after)) return [valueText(before), valueText(after)];
  return [names(before, after), names(after, before)];
}

function names(list: readonly string[], other: readonly string[]): Child {
  if (list.length === 0) return "[]";
  return (
    <>
      {list.map((each, at) => (
        <span key={each}>
          {at === 0 ? "" : ", "}
          {other.includes(each) ? ui.shownText(each) : <mark>{ui.shownText(each)}</mark>}
        </span>
      ))}
    </>
  );
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value === "" ? '""' : ui.shownText(value);
  if (isNames(value) && value.length > 0) return ui.shownText(value.join(", "));
  return ui.shownText(JSON.stringify(value) ?? "");
}

/** By how much a number or a price grew. */
function growth(before: unknown, after: unknown): Child {
  const [from, to] = [numberOf(before), numberOf(after)];
  if (from === undefined || to === undefined || from <= 0) return null;
  const percent = (to / from - 1) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(digits)} %`;
  return <span class="hint number">{text}</span>;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** Splits an added or removed value into its fields. */
function flat(field: Field): Field[] {
  const { name, kind } = field;
  const whole = kind === "added" ? field.after : field.before;
  if (kind === "changed" || !isJsonObject(whole)) return [field];
  return Object.entries(whole).filter(([member]) => name !== "" || member !== "id").flatMap((
    [member, value]: [string, unknown],
  ) =>
    flat({
      name: name === "" ? member : `${name}.${member}`,
      kind,
      ...(kind === "added" ? { after: value } : { before: value }),
    })
  );
}

function grouped(changes: readonly Change[], contents: readonly CatalogIds[]): Group[] {
  const groups = new Map<string, { part: string; id: string; fields: Field[] }>();
  for (const { path, ...rest } of changes) {
    const place = placeOf(path, contents);
    const key = `${place.part} ${place.id}`;
    const group = groups.get(key) ?? { part: place.part, id: place.id, fields: [] };
    group.fields.push({ ...rest, name: place.name });
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => {
    const [first] = group.fields;
    return { ...group, kind: first?.name === "" ? first.kind : "changed" };
  });
}

function placeOf(path: string, contents: readonly CatalogIds[]) {
  const dot = path.indexOf(".");
  const part = dot < 0 ? path : path.slice(0, dot);
  const rest = dot < 0 ? "" : path.slice(dot + 1);
  const list = LISTS.find((each) => each === part);
  if (list === undefined) return { part, id: "", name: rest };
  // Of `a` and `a.price` the path `a.price.perImage` is of the one that has what follows its id.
  const near = contents.flatMap((content) => content[list])
    .filter((entry) => rest === entry.id || rest.startsWith(`${entry.id}.`));
  const fitting = near.filter((entry) => isIn(entry, rest.slice(entry.id.length + 1)));
  const id = (fitting.length > 0 ? fitting : near).map((entry) => entry.id)
    .reduce((best, each) => each.length > best.length ? each : best, "");
  // Of an entry that neither has: the path is all that is known.
  return id === "" ? { part, id: rest, name: "" } : { part, id, name: rest.slice(id.length + 1) };
}

/**
 * True when an entry has a member at a path, such as `timeouts.idleMs`; the empty path is the entry
 * itself.
 */
function isIn(entry: unknown, path: string): boolean {
  if (path === "") return true;
  const [name = "", ...below] = path.split(".");
  if (typeof entry !== "object" || entry === null) return false;
  const member = Object.entries(entry).find(([member]) => member === name);
  return member !== undefined && isIn(member[1], below.join("."));
}
