import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import { walletChoices } from "../wallets/wallet_choices.ts";
import { choicesFor } from "./choices.ts";
import { formMessages } from "./form_messages.ts";
import { keyMessages } from "./messages.ts";
import { PolicyEditor } from "./policy_editor.tsx";
import { fieldsOf, policyOf } from "./policy_form.ts";
import { previewOf } from "./preview.tsx";
import { secretShown } from "./secret_once.tsx";

/** A new key: its policy, what that leaves, and then the key itself, once. */
export const createKey: Page = { path: "/keys/new", show, change };

function show(view: View): Promise<Shown> {
  const fields = fieldsOf({});
  fields.set("wallet", view.query.get("wallet") ?? "");
  // Sent twice, by a reload or an impatient reader, the form still makes one key.
  fields.set("once", crypto.randomUUID());
  return formShown(view, fields);
}

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  if (form.get("do") !== "save") return await formShown(view, form);
  const say = view.say(keyMessages);
  const creation = await view.api.call("POST /keys", {
    body: {
      name: form.get("name") ?? "",
      wallet: form.get("wallet") ?? "",
      policy: policyOf(form),
      opId: form.get("once") ?? "",
    },
  });
  if (creation.ok) {
    const next = {
      href: `/console/keys/${encodeURIComponent(creation.value.id)}`,
      text: say.toKey,
    };
    return await secretShown(view, creation.value, { title: say.madeTitle, next });
  }
  if (creation.refusal.status === 409 && creation.refusal.param === "opId") {
    return { goTo: "/keys", done: say.madeAlready };
  }
  return await formShown(view, form, creation.refusal);
}

async function formShown(view: View, fields: URLSearchParams, refusal?: Refusal): Promise<Shown> {
  const say = view.say(keyMessages);
  const { wallets, isWhole } = await walletChoices(view);
  const [first] = wallets;
  if (first === undefined) return noWallet(view);
  const isKnown = !isWhole || wallets.some(({ id }) => id === fields.get("wallet"));
  // A wallet that was sent stays, to be reported as wrong; one that only an address names is dropped.
  if (!isKnown && !fields.has("do")) fields.set("wallet", first.id);
  const [choices, preview] = await Promise.all([choicesFor(view, fields), previewOf(view, fields)]);
  return {
    title: say.new,
    status: refusal === undefined ? 200 : 422,
    scripts: ["policy_form.js"],
    body: (
      <>
        <ui.PageHead title={say.new} intro={say.newIntro} />
        <PolicyEditor
          {...{ view, fields, choices, preview, refusal }}
          submit={view.say(formMessages).create}
          cancelHref="/console/keys"
        >
          <Identity {...{ view, fields, refusal }} wallets={isWhole ? wallets : undefined} />
        </PolicyEditor>
      </>
    ),
  };
}

function Identity({ view, fields, refusal, wallets }: InView<{
  fields: URLSearchParams;
  refusal: Refusal | undefined;
  /** Wallets to choose from; `undefined` where the id is entered. */
  wallets: readonly { id: string; tier: string }[] | undefined;
}>) {
  const say = view.say(formMessages);
  const input = ui.inputs(ui.formState(fields, refusal));
  const options = wallets?.map(({ id, tier }) => [id, `${id} (${tier})`] as const);
  return (
    <ui.FieldGroup legend={say.groups.identity}>
      <ui.HiddenFields values={{ once: fields.get("once") ?? "" }} />
      <div class="field-row">
        {input("name", say.name, { hint: say.nameHint, maxLength: 100, isRequired: true })}
        {input("wallet", say.wallet, {
          hint: say.walletHint,
          ...options === undefined ? {} : { options },
        })}
      </div>
    </ui.FieldGroup>
  );
}

function noWallet(view: View): Shown {
  const say = view.say(keyMessages);
  return {
    title: say.new,
    body: (
      <>
        <ui.PageHead title={say.new} />
        <ui.EmptyState title={say.noWallet} hint={say.noWalletHint}>
          <a class="button primary" href="/console/wallets/-/new">{say.newWallet}</a>
        </ui.EmptyState>
      </>
    ),
  };
}
