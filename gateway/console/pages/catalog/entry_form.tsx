/**
 * The two pages that models, tiers and upstreams are edited on: the form of one that is there, and that
 * of a new one. Both lead to the difference.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { Page, Shown, View } from "../../page.ts";
import { type CatalogText, catalogVersion, currentCatalog, withEntry } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { problemsOf } from "./problems.ts";
import { entryFrom, type EntryShape, fieldsFrom } from "./field_values.ts";
import { review } from "./review.tsx";
import { type Entered, type Part, Refused } from "./entry_fields.tsx";

/** Something of the catalog that has an id. */
interface CatalogEntry {
  readonly id: string;
}

/** Differences between the forms of models, tiers and upstreams. */
export interface EntryForm<Known extends CatalogEntry> {
  readonly part: Part;
  /** Above the pages `edit` and `new`. */
  readonly path: string;
  /** Returns the entries of a catalog. */
  readonly entries: (content: CatalogText) => readonly Known[];
  /** Title of the form: of a new entry where there is no id. */
  readonly title: (view: View, id: string | undefined) => string;
  /** In place of the form of an entry that is not there. */
  readonly missing: (view: View, id: string) => Shown;
  /** Returns the address that the cancel button leads to. */
  readonly cancelHref: (id: string | undefined) => string;
  /** The fields of a new entry. */
  readonly blank: (view: View, content: CatalogText) => URLSearchParams;
  readonly shape: EntryShape;
  /** Returns the entry that the fields describe, for the API to check. @default {by the shape} */
  readonly entryOf?: (fields: URLSearchParams, before: Known | undefined) => CatalogEntry;
  /** Returns the other parts of the catalog that change when an entry is removed. @default {nothing} */
  readonly removedWith?: (content: CatalogText, id: string) => Partial<CatalogText>;
  /** The fields themselves. */
  readonly fields: (props: FormFields<Known>) => Child;
}

/** Properties that the fields of a form are shown with. */
export interface FormFields<Known> {
  readonly view: View;
  readonly entered: Entered;
  /** The catalog in force. */
  readonly content: CatalogText;
  /** Of the entry; absent for a new one. */
  readonly id: string | undefined;
  /** The entry in the catalog in force; absent for a new one, and where it has been removed. */
  readonly entry: Known | undefined;
}

/** The version that a form says it began with. */
export function baseOf(form: URLSearchParams): number {
  const base = Number(form.get("base"));
  return Number.isSafeInteger(base) && base > 0 ? base : 1;
}

/** The version that a form began with, kept in it. */
export function BaseField({ base }: { base: number }) {
  return <input type="hidden" name="base" value={String(base)} />;
}

/** The pages of a form. */
export function entryPages<Known extends CatalogEntry>(
  form: EntryForm<Known>,
): { readonly edit: Page; readonly add: Page } {
  const { part, path } = form;
  const idOf = (view: View) => view.query.get("id") ?? "";
  return {
    edit: {
      path: `${path}/edit`,
      async show(view) {
        const id = idOf(view);
        const { content, version: base } = await currentCatalog(view);
        const entry = entryIn(form, content, id);
        if (entry === undefined) return form.missing(view, id);
        const entered = { part, id, base, fields: fieldsFrom(entry, form.shape), problems: [] };
        return formPage(form, { view, entered, content, id, entry });
      },
      change: (view, fields) => reviewed(form, { view, fields, id: idOf(view) }),
    },
    add: {
      path: `${path}/new`,
      async show(view) {
        const { content, version: base } = await currentCatalog(view);
        const entered = { part, id: "", base, fields: form.blank(view, content), problems: [] };
        return formPage(form, { view, entered, content, id: undefined, entry: undefined });
      },
      change: (view, fields) => reviewed(form, { view, fields, id: undefined }),
    },
  };
}

/** A form as it was sent. */
interface Sent {
  readonly view: View;
  readonly fields: URLSearchParams;
  /** Of the entry that is edited; absent for a new one. */
  readonly id: string | undefined;
}

/** Shows what a form would change, in the catalog that it began with. */
async function reviewed<Known extends CatalogEntry>(
  form: EntryForm<Known>,
  sent: Sent,
): Promise<Shown> {
  const { view, fields, id } = sent;
  const base = baseOf(fields);
  const { content } = await catalogVersion(view, String(base));
  const edit = {
    content: { ...content, ...edited(form, content, sent) },
    base,
    note: "",
    isForced: false,
  };
  return await review(view, edit, async (refusal, refused) => {
    const problems = problemsOf(refusal, refused.content);
    const { content } = await currentCatalog(view);
    const entry = id === undefined ? undefined : entryIn(form, content, id);
    const entered = {
      ...{ part: form.part, base, fields, problems },
      id: id ?? fields.get("id")?.trim() ?? "",
    };
    const shown = formPage(form, { view, entered, content, id, entry });
    return { ...shown, status: refusal.status };
  });
}

/** The parts of the catalog that a form changes: its entry put in, or taken out. */
function edited<Known extends CatalogEntry>(
  form: EntryForm<Known>,
  content: CatalogText,
  { fields, id }: Sent,
): Readonly<Record<string, unknown>> {
  const { part, removedWith, entries, shape } = form;
  const { entryOf = (fields, before) => entryFrom(fields, shape, before) } = form;
  const known = entries(content);
  const list: readonly CatalogEntry[] = known;
  if (id === undefined) return { [part]: [...list, entryOf(fields, undefined)] };
  if (fields.has("remove")) {
    return { [part]: list.filter((each) => each.id !== id), ...removedWith?.(content, id) };
  }
  const entry = entryOf(fields, known.find((each) => each.id === id));
  return { [part]: withEntry(list, id, entry) };
}

function entryIn<Known extends CatalogEntry>(
  { entries }: EntryForm<Known>,
  content: CatalogText,
  id: string,
): Known | undefined {
  return entries(content).find((each) => each.id === id);
}

function formPage<Known extends CatalogEntry>(
  form: EntryForm<Known>,
  props: FormFields<Known>,
): Shown {
  const { view, entered, id } = props;
  const say = view.say(editMessages);
  const title = form.title(view, id);
  return {
    title,
    body: (
      <>
        <ui.PageHead title={title} intro={say.editIntro} />
        <ui.ChangeForm>
          <Refused view={view} entered={entered} />
          <BaseField base={entered.base} />
          {form.fields(props)}
          {id !== undefined && (
            <ui.CheckField
              name="remove"
              label={say.remove}
              isChecked={entered.fields.has("remove")}
            />
          )}
          <ui.FormEnd view={view} submit={say.check} cancelHref={form.cancelHref(id)} />
        </ui.ChangeForm>
      </>
    ),
  };
}
