import type { Child } from "@hono/hono/jsx";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { ApiAnswer, Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { correctionMessages } from "./messages.ts";

/** The answer to a correction. */
export type Corrected = AnswerOf<"POST /wallets/{id}/debit">;

/** A form with a note that makes one correction. */
export interface CorrectionForm {
  readonly title: string;
  readonly intro: string;
  readonly submit: string;
  /** Path below `/console` that the form leads back to. */
  readonly back: string;
  /** Values that are sent along. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** Fields besides the note. */
  readonly fields?: Child | undefined;
  /** Sends the correction. */
  readonly send: (body: { readonly note: string }) => Promise<ApiAnswer<Corrected>>;
}

/** Describes the form for what was entered; the refusal is of the last attempt. */
type Describe = (
  view: View,
  fields: URLSearchParams,
  refusal?: Refusal,
) => Promise<CorrectionForm>;

/**
 * Returns a page with the form of a correction. The operation's id is part of the form, so that one
 * that is sent twice corrects once.
 */
export function correctionPage(path: string, describe: Describe): Page {
  return {
    path,
    show: async (view) => {
      const fields = new URLSearchParams({ once: crypto.randomUUID() });
      for (const [name, value] of view.query) fields.set(name, value);
      return shown(view, await describe(view, fields), { fields });
    },
    async change(view, fields): Promise<Outcome> {
      const say = view.say(correctionMessages);
      const form = await describe(view, fields);
      const sent = await form.send({ note: fields.get("note")?.trim() ?? "" });
      if (sent.ok) {
        const isWaiting = sent.value.correction.state === "waiting";
        return { goTo: form.back, done: isWaiting ? say.waits : say.applied };
      }
      const { refusal } = sent;
      return shown(view, await describe(view, fields, refusal), { fields, refusal });
    },
  };
}

function shown(
  view: View,
  { title, intro, submit, back, hidden = {}, fields: own }: CorrectionForm,
  { fields, refusal }: { readonly fields: URLSearchParams; readonly refusal?: Refusal },
): Shown {
  const say = view.say(correctionMessages);
  const input = ui.inputs(ui.formState(fields, refusal));
  return ui.formPage(view, {
    ...{ title, intro, refusal, submit, cancelHref: `/console${back}` },
    hidden: { once: fields.get("once") ?? "", ...hidden },
    fields: (
      <>
        {own}
        {input("note", say.note, { hint: say.noteHint, maxLength: 500, isRequired: true })}
      </>
    ),
  });
}
