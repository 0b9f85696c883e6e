import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { walletMessages } from "./messages.ts";

/**
 * A new wallet. Sent twice it is refused: there is one of the name already. Its path is one that no
 * wallet has: names begin with a letter or a digit.
 */
export const createWallet: Page = {
  path: "/wallets/-/new",
  show: (view) => formShown(view, new URLSearchParams()),
  change,
};

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const credits = form.get("credits")?.trim() ?? "";
  const creation = await view.api.call("POST /wallets", {
    body: {
      id: form.get("id")?.trim() ?? "",
      tier: form.get("tier") ?? "",
      ...credits === "" ? {} : { credits },
    },
  });
  if (!creation.ok) return await formShown(view, form, creation.refusal);
  const { id } = creation.value;
  return { goTo: `/wallets/${encodeURIComponent(id)}`, done: view.say(walletMessages).opened(id) };
}

async function formShown(view: View, fields: URLSearchParams, refusal?: Refusal): Promise<Shown> {
  const say = view.say(walletMessages);
  const { tiers } = (await view.load("GET /catalog")).content;
  const usual = tiers.find(({ id }) => id === "standard") ?? tiers[0];
  const conflict = refusal?.status === 409 ? refusal.message : undefined;
  const input = ui.inputs({
    fields,
    errorOf: (name) => ui.fieldError(refusal, name) ?? (name === "id" ? conflict : undefined),
  });
  return ui.formPage(view, {
    title: say.new,
    intro: say.newIntro,
    refusal,
    fields: (
      <>
        {input("id", say.walletId, { hint: say.walletIdHint, maxLength: 64, isRequired: true })}
        {input("tier", say.tier, {
          hint: say.tierHint,
          options: tiers.map(({ id }) => id),
          value: fields.get("tier") ?? usual?.id,
        })}
        {input("credits", say.firstCredits, {
          ...{ hint: say.firstCreditsHint, inputmode: "decimal", maxLength: 40 },
        })}
      </>
    ),
    submit: say.openIt,
    cancelHref: "/console/wallets",
  });
}
