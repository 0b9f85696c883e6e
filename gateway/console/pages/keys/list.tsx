import { KEY_SORTS, SORTED_MAX, sortFields } from "../../../admin_api/sorts.ts";
import { KEY_STATES, stateOf } from "../../../domain/policy/key.ts";
import * as ui from "../../components/mod.ts";
import type { Page, View } from "../../page.ts";
import type { Key } from "./answers.ts";
import { KeyBadge } from "./key_state.tsx";
import { keyMessages } from "./messages.ts";
import { policyInShort } from "./policy_text.ts";

/** Every key, to sort and to filter. */
export const keyList: Page = {
  path: "/keys",
  async show(view) {
    const say = view.say(keyMessages);
    const { keys, cursor, total } = await view.load("GET /keys", { query: queryOf(view) });
    return ui.listPage(view, {
      say,
      rows: keys,
      page: { cursor, total, sortsBy: (id) => id === "created" || total <= SORTED_MAX },
      add: { href: "/console/keys/new", text: say.new },
      href: ({ id }) => `/console/keys/${encodeURIComponent(id)}`,
      filters: [
        { name: "name", label: say.filterName, isApiText: true },
        { name: "wallet", label: say.wallet, isApiText: true },
        {
          ...{ name: "state", label: say.state },
          apiChoices: {
            all: say.anyState,
            options: KEY_STATES.map((value) => [value, say.states[value]]),
          },
        },
      ],
      columns: columnsOf(view),
    });
  },
};

function queryOf(view: View) {
  const text = (name: string) => ui.filterText(view, name) || undefined;
  const state = text("state");
  return {
    q: text("name"),
    wallet: text("wallet"),
    state: KEY_STATES.find((known) => known === state),
    sort: ui.sortOf(view, sortFields(KEY_SORTS)),
    cursor: text("cursor"),
    limit: String(ui.ROWS_PER_PAGE),
  };
}

function columnsOf(view: View): readonly ui.Column<Key>[] {
  const say = view.say(keyMessages);
  const name = ({ name, hint }: Key) => (
    <>
      {name}
      <span class="key-hint">{hint}</span>
    </>
  );
  return [
    ui.column(say.name, name, { id: "name", isHeader: true, sort: ({ name }) => name }),
    ui.column(
      say.wallet,
      ({ wallet }) => <a href={`/console/wallets/${encodeURIComponent(wallet)}`}>{wallet}</a>,
      { id: "wallet", sort: ({ wallet }) => wallet },
    ),
    ui.column(say.state, (key) => <KeyBadge view={view} of={key} />, {
      id: "state",
      sort: (key) => KEY_STATES.indexOf(stateOf(key, view.nowMs)),
    }),
    ui.column(say.policy, ({ policy }) => policyInShort(view, policy) || say.open),
    ui.column(
      say.lastUsed,
      ({ lastUsedAt }) => lastUsedAt === null ? say.never : <ui.Time at={lastUsedAt} />,
      { id: "used", sort: ({ lastUsedAt }) => lastUsedAt ?? "" },
    ),
    ui.column(say.created, ({ createdAt }) => <ui.Time at={createdAt} />, {
      id: "created",
      sort: ({ createdAt }) => createdAt,
    }),
  ];
}
