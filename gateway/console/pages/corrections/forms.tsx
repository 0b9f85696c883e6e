import { formatCredits, parseCredits } from "../../../domain/ledger/money.ts";
import * as ui from "../../components/mod.ts";
import type { Page } from "../../page.ts";
import { correctionPage } from "./correction_form.tsx";
import { correctionMessages } from "./messages.ts";

/** Taking credits out. */
export const debitWallet: Page = correctionPage(
  "/wallets/:id/debit",
  async (view, fields, refusal) => {
    const say = view.say(correctionMessages);
    const { id, hint } = await walletOf(view);
    const input = ui.inputs(ui.formState(fields, refusal));
    return {
      ...{ title: say.debitTitle(id), intro: hint, submit: say.correct, back: pathOf(id) },
      fields: input("credits", say.credits, AMOUNT),
      send: (body) => {
        const credits = fields.get("credits")?.trim() ?? "";
        const opId = fields.get("once") ?? "";
        return view.api.call("POST /wallets/{id}/debit", { id, body: { ...body, credits, opId } });
      },
    };
  },
);

/** Bringing the balance to a counted value; the form has the balance that it was opened with. */
export const adjustWallet: Page = correctionPage(
  "/wallets/:id/adjust",
  async (view, fields, refusal) => {
    const say = view.say(correctionMessages);
    const { id, hint, balance } = await walletOf(view);
    const expected = fields.get("expected") ?? balance;
    const input = ui.inputs(ui.formState(fields, refusal));
    return {
      ...{ title: say.adjustTitle(id), intro: hint, submit: say.correct, back: pathOf(id) },
      // After a refusal the reader has seen the balance of now.
      hidden: { expected: refusal === undefined ? expected : balance },
      fields: input("balance", say.counted, AMOUNT),
      send: (body) => {
        const counted = fields.get("balance")?.trim() ?? "";
        const opId = fields.get("once") ?? "";
        const request = { ...body, balance: counted, expected, opId };
        return view.api.call("POST /wallets/{id}/adjust", { id, body: request });
      },
    };
  },
);

/** Another tier. */
export const changeTier: Page = correctionPage(
  "/wallets/:id/tier",
  async (view, fields, refusal) => {
    const say = view.say(correctionMessages);
    const { id, hint, tier } = await walletOf(view);
    const { tiers } = (await view.load("GET /catalog")).content;
    const input = ui.inputs(ui.formState(fields, refusal));
    return {
      ...{ title: say.tierTitle(id), intro: hint, submit: say.correct, back: pathOf(id) },
      fields: input("tier", say.tier, {
        ...{ options: tiers.map((one) => one.id), value: fields.get("tier") ?? tier },
      }),
      send: (body) => {
        const opId = fields.get("once") ?? "";
        const request = { ...body, tier: fields.get("tier") ?? "", opId };
        return view.api.call("POST /wallets/{id}/tier", { id, body: request });
      },
    };
  },
);

/** The end of a wallet, with the rest that it had when the form was opened. */
export const closeWallet: Page = correctionPage(
  "/wallets/:id/close",
  async (view, fields, refusal) => {
    const say = view.say(correctionMessages);
    const { id, hint, balance } = await walletOf(view);
    const expected = fields.get("expected") ?? balance;
    return {
      ...{ title: say.closeTitle(id), submit: say.correct, back: pathOf(id) },
      intro: `${hint} ${say.closeWarning}`,
      hidden: { expected: refusal === undefined ? expected : balance },
      send: (body) => {
        const opId = fields.get("once") ?? "";
        const request = { ...body, expected, opId };
        return view.api.call("POST /wallets/{id}/close", { id, body: request });
      },
    };
  },
);

/** Another wallet for a key. */
export const moveKey: Page = correctionPage(
  "/keys/:id/move",
  async (view, fields, refusal) => {
    const say = view.say(correctionMessages);
    const id = view.param("id");
    const { name } = await view.load("GET /keys/{id}", { id });
    const input = ui.inputs(ui.formState(fields, refusal));
    return {
      ...{ title: say.moveTitle(name), intro: say.moveIntro, submit: say.move },
      back: `/keys/${encodeURIComponent(id)}`,
      fields: input("wallet", say.wallet, { maxLength: 64, isRequired: true }),
      send: (body) => {
        const opId = fields.get("once") ?? "";
        const request = { ...body, wallet: fields.get("wallet")?.trim() ?? "", opId };
        return view.api.call("POST /keys/{id}/move", { id, body: request });
      },
    };
  },
);

/** The refund of a request. */
export const refundRequest: Page = correctionPage(
  "/requests/:id/refund",
  async (view, fields, refusal) => {
    const say = view.say(correctionMessages);
    const { id, charged } = await view.load("GET /requests/{id}", { id: view.param("id") });
    const input = ui.inputs(ui.formState(fields, refusal));
    const intro = say.refundIntro(ui.trimmedCredits(charged ?? "0.000000"));
    return {
      ...{ title: say.refundTitle, intro, submit: say.refund },
      back: `/requests/${encodeURIComponent(id)}`,
      fields: input("credits", say.refundCredits, { inputmode: "decimal", maxLength: 40 }),
      send: (body) => {
        const credits = fields.get("credits")?.trim() ?? "";
        const request = credits === "" ? body : { ...body, credits };
        return view.api.call("POST /requests/{id}/refund", { id, body: request });
      },
    };
  },
);

const AMOUNT = { inputmode: "decimal", maxLength: 40, isRequired: true } as const;

/** Returns a wallet with its balance, available and held. */
async function walletOf(view: Parameters<NonNullable<Page["show"]>>[0]) {
  const wallet = await view.load("GET /wallets/{id}", { id: view.param("id") });
  const micros = (parseCredits(wallet.available) ?? 0n) + (parseCredits(wallet.held) ?? 0n);
  const balance = formatCredits(micros);
  const say = view.say(correctionMessages);
  const hint = say.has(ui.trimmedCredits(balance), ui.trimmedCredits(wallet.held));
  return { id: wallet.id, tier: wallet.tier, balance, hint };
}

function pathOf(id: string): string {
  return `/wallets/${encodeURIComponent(id)}`;
}
