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
  const made = await view.api.call("POST /wallets", {
    body: {
      id: form.get("id")?.trim() ?? "",
      tier: form.get("tier") ?? "",
      ...credits === "" ? {} : { credits },
    },
  });
  if (!made.ok) return await formShown(view, form, made.refusal);
  const { id } = made.value;
  return {
    goTo: `/wallets/${encodeURIComponent(id)}`,
    done: view.say(walletMessages).opened(id),
  };
}

async function formShown(view: View, fields: URLSearchParams, refusal?: Refusal): Promise<Shown> {
  const say = view.say(walletMessages);
  const { tiers } = (await view.load("GET /catalog")).content;
  const usual = tiers.find(({ id }) => id === "standard") ?? tiers[0];
  const taken = refusal?.status === 409 ? refusal.message : undefined;
  return {
    title: say.new,
    status: refusal === undefined ? 200 : 422,
    body: (
      <>
        <ui.PageHead title={say.new} intro={say.newIntro} />
        <section class="panel">
          <ui.ChangeForm refusal={refusal}>
            <ui.TextField
              name="id"
              label={say.walletId}
              hint={say.walletIdHint}
              value={fields.get("id") ?? ""}
              error={ui.fieldError(refusal, "id") ?? taken}
              maxLength={64}
              isRequired
            />
            <ui.SelectField
              name="tier"
              label={say.tier}
              hint={say.tierHint}
              value={fields.get("tier") ?? usual?.id}
              error={ui.fieldError(refusal, "tier")}
              options={tiers.map(({ id }) => ({ value: id, text: id }))}
            />
            <ui.TextField
              name="credits"
              label={say.firstCredits}
              hint={say.firstCreditsHint}
              value={fields.get("credits") ?? ""}
              error={ui.fieldError(refusal, "credits")}
              inputmode="decimal"
              maxLength={40}
            />
            <ui.FormEnd view={view} submit={say.openIt} cancelHref="/console/wallets" />
          </ui.ChangeForm>
        </section>
      </>
    ),
  };
}
