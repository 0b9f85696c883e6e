import { MAIL_SECURITIES, TARGET_KINDS } from "../../../domain/notices/target.ts";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { noticeMessages } from "./messages.ts";

const LIST = "/notifications";

/** A new target. The page that follows that of a webhook is the only one that shows its secret. */
export const addTarget: Page = {
  path: `${LIST}/-/new`,
  show: (view) => formShown(view, new URLSearchParams()),
  change,
};

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const say = view.say(noticeMessages);
  const added = await view.api.call("POST /notify/targets", { body: bodyOf(form) });
  if (!added.ok) return formShown(view, form, added.refusal);
  const { name, secret } = added.value;
  if (secret === null) return { goTo: LIST, done: say.added(name) };
  return {
    title: say.added(name),
    body: (
      <>
        <ui.PageHead title={say.added(name)}>
          <a class="button primary" href={`/console${LIST}`}>{say.done}</a>
        </ui.PageHead>
        <div class="panel">
          <ui.Notice kind="info">{say.secretOnce}</ui.Notice>
          <ui.CopyText view={view} label={say.secret} text={secret} />
        </div>
      </>
    ),
  };
}

/** Returns the body for the API, which checks it. */
function bodyOf(form: URLSearchParams): Record<string, unknown> {
  const text = (name: string) => form.get(name)?.trim() || undefined;
  const [kind, name] = [text("kind"), text("name") ?? ""];
  if (kind !== "email") return { kind, name, url: text("url") };
  const port = text("port");
  const mail = {
    ...{ host: text("host") ?? "", security: text("security"), user: text("user") },
    ...{ from: text("from") ?? "", password: form.get("password") || undefined },
    ...port === undefined ? {} : { port: Number(port) },
    to: (text("to") ?? "").split(",").map((address) => address.trim()),
  };
  return { kind, name, mail };
}

function formShown(view: View, fields: URLSearchParams, refusal?: Refusal): Shown {
  const say = view.say(noticeMessages);
  const input = ui.inputs({
    fields,
    errorOf: (name) =>
      ui.fieldError(refusal, name) ?? ui.fieldError(refusal, `mail.${name}`) ??
        (name === "to" ? ui.fieldError(refusal, "mail.to.0") : undefined),
  });
  const hint = say.mailOnly;
  return ui.formPage(view, {
    title: say.add,
    intro: say.newIntro,
    refusal,
    fields: (
      <>
        {input("name", say.name, { maxLength: 100, isRequired: true })}
        {input("kind", say.kind, {
          options: TARGET_KINDS.map((kind) => [kind, say.kinds[kind]] as const),
        })}
        {input("url", say.url, { hint: say.urlHint, maxLength: 4_096 })}
        {input("host", say.host, { hint, maxLength: 253 })}
        {input("port", say.port, { hint, inputmode: "numeric", maxLength: 5 })}
        {input("security", say.security, { hint, options: starttlsFirst() })}
        {input("user", say.user, { hint, maxLength: 256, autocomplete: "off" })}
        {input("password", say.password, {
          ...{ hint, type: "password", value: "", maxLength: 1_000 },
          autocomplete: "new-password",
        })}
        {input("from", say.from, { hint, maxLength: 400 })}
        {input("to", say.to, { hint: `${hint}. ${say.toHint}`, maxLength: 4_000 })}
      </>
    ),
    submit: say.save,
    cancelHref: `/console${LIST}`,
  });
}

/** The usual choice comes first. */
function starttlsFirst(): readonly string[] {
  return ["starttls", ...MAIL_SECURITIES.filter((security) => security !== "starttls")];
}
