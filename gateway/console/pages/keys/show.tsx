import { unreadForm } from "../../view.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import type { Key, Pin } from "./answers.ts";
import { Budgets } from "./budgets.tsx";
import { ContentLogPanel } from "./content_log.tsx";
import { formMessages } from "./form_messages.ts";
import { stateOf } from "../../../domain/policy/key.ts";
import { KeyBadge } from "./key_state.tsx";
import { linkShown } from "./link.tsx";
import { LogTable } from "./log_table.tsx";
import { keyMessages } from "./messages.ts";
import { limitsOf, pinOf } from "./policy_text.ts";
import { ReachList } from "./reach.tsx";

/** Requests that are shown of a key. */
const RECENT = "8";

/** One key: what it may, what it has spent, and what can be done with it. */
export const showKey: Page = { path: "/keys/:id", show, change };

async function show(view: View): Promise<Shown> {
  const say = view.say(keyMessages);
  const id = view.param("id");
  const key = await view.load("GET /keys/{id}", { id });
  const { requests } = await view.load("GET /requests", { query: { key: id, limit: RECENT } });
  return {
    title: key.name,
    body: (
      <>
        <KeyHead view={view} of={key} />
        <div class="two-columns">
          <div class="stack">
            <About view={view} of={key} />
            <Budgets view={view} policy={key.policy} spend={key.spend} budgets={key.budgets} />
            <ContentLogPanel view={view} of={key} />
          </div>
          <ui.Panel title={view.say(formMessages).reaches}>
            <ReachList view={view} reach={key.reach} />
          </ui.Panel>
        </div>
        <ui.Panel
          title={say.recent}
          actions={
            <a href={`/console/requests?key=${encodeURIComponent(id)}`}>{say.allRequests}</a>
          }
        >
          <LogTable
            view={view}
            caption={say.recent}
            rows={requests}
            empty={<ui.EmptyState title={say.noRequests} hint={say.noRequestsHint} />}
          />
        </ui.Panel>
      </>
    ),
  };
}

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const say = view.say(keyMessages);
  const id = view.param("id");
  const goTo = `/keys/${encodeURIComponent(id)}`;
  const verb = form.get("do");
  if (verb === "link") return await linkShown(view, id);
  if (verb !== "disable" && verb !== "enable") throw unreadForm(view);
  const { name } = await view.load(`POST /keys/{id}/${verb}`, { id });
  return { goTo, done: verb === "disable" ? say.disabled(name) : say.enabled(name) };
}

function KeyHead({ view, of }: InView<{ of: Key }>) {
  const say = view.say(keyMessages);
  const path = `/console/keys/${encodeURIComponent(of.id)}`;
  const state = stateOf(of, view.nowMs);
  const verb = of.status === "active" ? "disable" : "enable";
  return (
    <ui.PageHead title={of.name} intro={<KeyBadge view={view} of={of} />}>
      {of.status !== "revoked" && (
        <>
          {state === "active" && <a class="button primary" href={`${path}/rotate`}>{say.rotate}</a>}
          <a class="button" href={`${path}/narrow`}>{say.narrow}</a>
          <form method="post" action={path}>
            {state === "active" && (
              <button type="submit" name="do" value="link" class="button">{say.link}</button>
            )}
            <button type="submit" name="do" value={verb} class="button">{say[verb]}</button>
          </form>
          {view.actor?.rights.includes("wallets") && (
            <a class="button" href={`${path}/move`}>{say.move}</a>
          )}
          <a class="button danger" href={`${path}/revoke`}>{say.revoke}</a>
        </>
      )}
    </ui.PageHead>
  );
}

function About({ view, of }: InView<{ of: Key & { readonly embeddings: Pin } }>) {
  const say = view.say(keyMessages);
  const { id, wallet, hint, createdAt, lastUsedAt, rotatedFrom, policy } = of;
  const link = (path: string, text: string) => <a href={`/console/${path}`}>{text}</a>;
  return (
    <ui.Panel title={say.about}>
      <ui.DefinitionList
        items={[
          [say.id, <code key="id">{id}</code>],
          [say.hint, <code key="hint">{hint}</code>],
          [say.wallet, link(`wallets/${encodeURIComponent(wallet)}`, wallet)],
          [say.created, <ui.Time key="created" at={createdAt} />],
          [say.lastUsed, lastUsedAt === null ? say.never : <ui.Time key="used" at={lastUsedAt} />],
          ...rotatedFrom === null ? [] : [
            [say.replaces, link(`keys/${encodeURIComponent(rotatedFrom)}`, rotatedFrom)] as const,
          ],
          ...pinOf(view, of.embeddings),
          ...limitsOf(view, policy).map(({ name, value }) => [name, value] as const),
        ]}
      />
    </ui.Panel>
  );
}
