import { walletChoices } from "../wallets/wallet_choices.ts";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import { dialOf, dialText } from "../../../domain/routing/dial.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import { catalogVersion, currentCatalog } from "../catalog/content.ts";
import { baseOf } from "../catalog/entry_form.tsx";
import { review } from "../catalog/review.tsx";
import { unreadForm } from "../../view.ts";
import { AuditPanel, DEFAULT_CREDITS } from "./audits.tsx";
import { DialPanel } from "./dial.tsx";
import { routingMessages } from "./messages.ts";
import { inksOf } from "./share_bar.tsx";
import { SnapshotPanel } from "./snapshots.tsx";
import { Tasks, Totals } from "./tasks.tsx";
import { TryForm } from "./try_form.tsx";

/** Tasks that are listed. */
const TASKS_LISTED = "200";

/** The learned tasks with their savings, the dial to try, and the snapshots. */
export const routingPage: Page = { path: "/routing", show: (view) => shown(view), change };

async function shown(view: View, refusal?: Refusal): Promise<Shown> {
  const say = view.say(routingMessages);
  const wallet = ui.filterText(view, "wallet") || undefined;
  const entered = ui.filterText(view, "dial");
  const credits = ui.filterText(view, "credits") || DEFAULT_CREDITS;
  const isDial = entered === "" || dialOf(entered) !== undefined;
  const [list, replay, budget, snapshots, { wallets, isWhole }, catalog] = await Promise.all([
    view.load("GET /routing/tasks", { query: { wallet, limit: TASKS_LISTED } }),
    view.load("GET /routing/replay", {
      query: { wallet, dial: isDial && entered !== "" ? entered : undefined },
    }),
    view.api.call("GET /routing/audit-budget", { query: { credits } }),
    view.load("GET /routing/snapshots"),
    walletChoices(view),
    currentCatalog(view),
  ]);
  const inks = inksOf(list.totals.models);
  const wrong = isDial ? undefined : say.badDial;
  const isWrong = refusal !== undefined || !isDial || !budget.ok;
  return {
    title: say.title,
    status: isWrong ? 422 : 200,
    scripts: ["curve.js"],
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro} />
        {refusal !== undefined && <ui.Notice kind="problem">{refusal.message}</ui.Notice>}
        {wallets.length > 1 && (
          <WalletForm
            view={view}
            ids={isWhole ? wallets.map(({ id }) => id) : undefined}
          />
        )}
        {list.totals.tasks === 0 ? <ui.EmptyState title={say.none} hint={say.noneHint} /> : (
          <>
            <Totals view={view} list={list} inks={inks} />
            <Tasks view={view} list={list} inks={inks} />
          </>
        )}
        <DialPanel {...{ view, replay, wrong, inks }} base={catalog.version} />
        <AuditPanel
          view={view}
          budget={budget.ok ? budget.value : undefined}
          wrong={budget.ok ? undefined : say.badCredits}
        />
        <SnapshotPanel view={view} list={snapshots} />
      </>
    ),
  };
}

/** Narrows the page to a wallet: one of some ids, or one whose id is entered. */
function WalletForm({ view, ids }: InView<{ ids: readonly string[] | undefined }>) {
  const say = view.say(routingMessages);
  return (
    <TryForm view={view} name="wallet" submit={say.narrow}>
      {ids === undefined
        ? <ui.FilterText view={view} name="wallet" label={say.wallet} />
        : ui.filterSelects(view)("wallet", say.wallet, { all: say.allWallets, options: ids })}
    </TryForm>
  );
}

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const say = view.say(routingMessages);
  const wanted = form.get("do");
  if (wanted === "dial") return await reviewDial(view, form);
  if (wanted === "unfreeze") {
    const answer = await view.api.call("POST /routing/unfreeze", { body: {} });
    return answer.ok ? { goTo: "/routing", done: say.unfroze } : shown(view, answer.refusal);
  }
  if (wanted !== "freeze") throw unreadForm(view);
  const snapshot = Number(form.get("snapshot"));
  const answer = await view.api.call("POST /routing/freeze", { body: { snapshot } });
  if (!answer.ok) return shown(view, answer.refusal);
  return { goTo: "/routing", done: say.froze(answer.value.inForce) };
}

/** Shows what the position changes in the catalog; the page of the difference applies it. */
async function reviewDial(view: View, form: URLSearchParams): Promise<Shown> {
  const dial = dialOf(form.get("position") ?? "");
  if (dial === undefined) throw unreadForm(view);
  const base = baseOf(form);
  const { content } = await catalogVersion(view, String(base));
  const edit = {
    content: { ...content, auto: { ...content.auto, dial } },
    base,
    note: view.say(routingMessages).dialNote(dialText(dial)),
    isForced: false,
  };
  return await review(view, edit, (refusal) => shown(view, refusal));
}
