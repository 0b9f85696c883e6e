import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { type Key, keyListShape } from "./answers.ts";
import { KEY_STATES, KeyBadge, stateOf } from "./key_state.tsx";
import { keyMessages } from "./messages.ts";
import { policyInShort } from "./policy_text.ts";

/** Every key, to sort and to filter. */
export const keyList: Page = { path: "/keys", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(keyMessages);
  const { keys } = view.need(await view.api.get("/keys", keyListShape));
  const shown = keys.filter((key) =>
    ui.hasText(view, "name", [key.name, key.id, key.hint]) &&
    ui.hasValue(view, "wallet", [key.wallet]) &&
    ui.hasValue(view, "state", [stateOf(key, view.nowMs)])
  );
  return {
    title: say.title,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/keys/new">{say.new}</a>
        </ui.PageHead>
        <ui.FilterForm view={view}>
          <ui.FilterText view={view} name="name" label={say.filterName} />
          <ui.FilterText view={view} name="wallet" label={say.wallet} />
          <ui.FilterSelect
            view={view}
            name="state"
            label={say.state}
            all={say.anyState}
            options={KEY_STATES.map((value) => [value, say.states[value]])}
          />
        </ui.FilterForm>
        <KeyTable view={view} rows={shown} all={keys.length} />
      </>
    ),
  };
}

function KeyTable({ view, rows, all }: InView<{ rows: readonly Key[]; all: number }>) {
  const say = view.say(keyMessages);
  return (
    <ui.DataTable
      view={view}
      caption={say.caption}
      count={say.count(rows.length, all)}
      rows={rows}
      href={({ id }) => `/console/keys/${encodeURIComponent(id)}`}
      columns={[
        {
          id: "name",
          title: say.name,
          isHeader: true,
          cell: ({ name, hint }) => (
            <>
              {name}
              <span class="key-hint">{hint}</span>
            </>
          ),
          sort: ({ name }) => name,
        },
        { id: "wallet", title: say.wallet, cell: walletCell, sort: ({ wallet }) => wallet },
        {
          id: "state",
          title: say.state,
          cell: (key) => <KeyBadge view={view} of={key} />,
          sort: (key) => KEY_STATES.indexOf(stateOf(key, view.nowMs)),
        },
        {
          id: "policy",
          title: say.policy,
          cell: ({ policy }) => policyInShort(view, policy) || say.open,
        },
        {
          id: "used",
          title: say.lastUsed,
          cell: ({ lastUsedAt }) => lastUsedAt === null ? say.never : <ui.Time at={lastUsedAt} />,
          sort: ({ lastUsedAt }) => lastUsedAt ?? "",
        },
        {
          id: "created",
          title: say.created,
          cell: ({ createdAt }) => <ui.Time at={createdAt} />,
          sort: ({ createdAt }) => createdAt,
        },
      ]}
      empty={
        <ui.EmptyState
          title={all === 0 ? say.none : say.noneFound}
          hint={all === 0 ? say.noneHint : say.noneFoundHint}
        />
      }
    />
  );
}

function walletCell({ wallet }: Key) {
  return <a href={`/console/wallets/${encodeURIComponent(wallet)}`}>{wallet}</a>;
}
