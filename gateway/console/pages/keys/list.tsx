import * as ui from "../../components/mod.ts";
import type { Page, View } from "../../page.ts";
import type { Key } from "./answers.ts";
import { KEY_STATES, KeyBadge, stateOf } from "./key_state.tsx";
import { keyMessages } from "./messages.ts";
import { policyInShort } from "./policy_text.ts";

/** Every key, to sort and to filter. */
export const keyList: Page = {
  path: "/keys",
  async show(view) {
    const say = view.say(keyMessages);
    const { keys } = await view.load("GET /keys");
    return ui.listPage(view, {
      say,
      rows: keys,
      add: { href: "/console/keys/new", text: say.new },
      href: ({ id }) => `/console/keys/${encodeURIComponent(id)}`,
      filters: [
        { name: "name", label: say.filterName, texts: ({ name, id, hint }) => [name, id, hint] },
        { name: "wallet", label: say.wallet, texts: ({ wallet }) => [wallet], isExact: true },
        {
          ...{ name: "state", label: say.state, all: say.anyState },
          options: KEY_STATES.map((value) => [value, say.states[value]]),
          values: (key) => [stateOf(key, view.nowMs)],
        },
      ],
      columns: columnsOf(view),
    });
  },
};

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
