import { formatCredits, parseCredits } from "../../../domain/ledger/money.ts";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import type { Wallet } from "./answers.ts";
import { walletMessages } from "./messages.ts";

/**
 * Paying in, in two looks: the amount, and what it leads to. The operation's id is part of the form, so
 * that one that is sent twice pays once.
 */
export const creditWallet: Page = {
  path: "/wallets/:id/credit",
  async show(view) {
    const fields = new URLSearchParams({ once: crypto.randomUUID() });
    return formShown(view, { wallet: await walletOf(view), fields });
  },
  change,
};

async function change(view: View, fields: URLSearchParams): Promise<Outcome> {
  const say = view.say(walletMessages);
  const wallet = await walletOf(view);
  const credits = fields.get("credits")?.trim() ?? "";
  const micros = parseCredits(credits);
  if (micros === undefined || micros === 0n) {
    return formShown(view, { wallet, fields, error: say.notAmount });
  }
  if (fields.get("do") !== "pay") return confirmShown(view, { wallet, fields, micros });
  const { id } = wallet;
  const paid = await view.api.call("POST /wallets/{id}/credit", {
    id,
    body: { credits, note: fields.get("note") ?? "", opId: fields.get("once") ?? "" },
  });
  if (!paid.ok) return formShown(view, { wallet, ...usedUp(view, fields, paid.refusal) });
  return { goTo: pathOf(id), done: say.credited(shortOf(micros), id) };
}

/** A form that has paid already can be sent again for more, after the page has said so. */
function usedUp(view: View, fields: URLSearchParams, refusal: Refusal) {
  if (refusal.param !== "opId") return { fields, refusal };
  const again = new URLSearchParams(fields);
  again.set("once", crypto.randomUUID());
  const message = view.say(walletMessages).usedUp;
  return { fields: again, refusal: refusal.status === 409 ? { ...refusal, message } : refusal };
}

function walletOf(view: View): Promise<Wallet> {
  return view.load("GET /wallets/{id}", { id: view.param("id") });
}

function formShown(
  view: View,
  { wallet, fields, refusal, error }: {
    wallet: Wallet;
    fields: URLSearchParams;
    refusal?: Refusal;
    error?: string;
  },
): Shown {
  const say = view.say(walletMessages);
  const input = ui.inputs({
    fields,
    errorOf: (name) => (name === "credits" ? error : undefined) ?? ui.fieldError(refusal, name),
  });
  return ui.formPage(view, {
    title: say.creditTitle(wallet.id),
    intro: say.creditIntro,
    refusal,
    isWrong: error !== undefined,
    hidden: { once: fields.get("once") ?? "" },
    fields: (
      <>
        {input("credits", say.amount, {
          ...{ hint: say.amountHint, inputmode: "decimal", maxLength: 40, isRequired: true },
        })}
        {input("note", say.note, { hint: say.noteHint, maxLength: 500 })}
      </>
    ),
    submit: say.check,
    cancelHref: `/console${pathOf(wallet.id)}`,
  });
}

function confirmShown(
  view: View,
  { wallet, fields, micros }: { wallet: Wallet; fields: URLSearchParams; micros: bigint },
): Shown {
  const say = view.say(walletMessages);
  const amount = shortOf(micros);
  const note = fields.get("note") ?? "";
  const after = shortOf((parseCredits(wallet.available) ?? 0n) + micros);
  const [once, credits] = ["once", "credits"].map((name) => fields.get(name) ?? "");
  return ui.confirmPage(view, {
    title: say.confirmCredit(amount, wallet.id),
    warning: (
      <>
        {say.willBe(ui.trimmedCredits(wallet.available), after)}
        {note !== "" && <span class="remark-line">{say.noted(note)}</span>}
      </>
    ),
    submit: say.payIn(amount),
    cancelHref: `/console${pathOf(wallet.id)}`,
    hidden: { once: once ?? "", credits: credits ?? "", note, do: "pay" },
  });
}

function pathOf(id: string): string {
  return `/wallets/${encodeURIComponent(id)}`;
}

/** An amount without the zeros that say nothing. */
function shortOf(micros: bigint): string {
  return ui.trimmedCredits(formatCredits(micros));
}
