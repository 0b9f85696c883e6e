import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { rollbackHref, versionHref } from "./addresses.ts";
import { editMessages } from "./edit_messages.ts";
import { CatalogTabs } from "./tabs.tsx";

/** Versions that are listed: as many as the API gives at once. */
const VERSIONS = 500;

type Version = AnswerOf<"GET /catalog/versions">["versions"][number];

/** Every version of the catalog, to look at, to compare and to go back to. */
export const catalogHistory: Page = { path: "/catalog/history", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(editMessages);
  const { versions } = await view.load("GET /catalog/versions", {
    query: { limit: String(VERSIONS) },
  });
  return {
    title: say.historyTitle,
    body: (
      <>
        <ui.PageHead title={say.historyTitle} intro={say.historyIntro} />
        <CatalogTabs view={view} here="history" />
        <VersionTable view={view} rows={versions} />
        <Older view={view} oldest={versions.at(VERSIONS - 1)} />
        {versions.length > 1 && <CompareForm view={view} versions={versions} />}
      </>
    ),
  };
}

function VersionTable({ view, rows }: InView<{ rows: readonly Version[] }>) {
  const say = view.say(editMessages);
  const newest = Math.max(...rows.map(({ version }) => version));
  return (
    <ui.DataTable<Version>
      view={view}
      caption={say.historyCaption}
      rows={rows}
      href={({ version }) => versionHref(version)}
      columns={[
        ui.column(say.version, ({ version }) => version, {
          id: "version",
          isHeader: true,
          sort: ({ version }) => version,
        }),
        ui.column(say.time, ({ updatedAt }) => <ui.Time at={updatedAt} />),
        ui.column(say.noteTitle, ({ note }) => ui.shownText(note) || "–"),
        ui.column(say.rollBack, ({ version }) =>
          version === newest
            ? <ui.Badge kind="good">{say.inForce}</ui.Badge>
            : <a href={rollbackHref(version)}>{say.rollBackTitle(version)}</a>),
      ]}
      empty={<ui.EmptyState title={say.noHistory} hint={say.noHistoryHint} />}
    />
  );
}

/** Leads to what is older than all that are listed. */
function Older({ view, oldest }: InView<{ oldest: Version | undefined }>) {
  const number = (oldest?.version ?? 1) - 1;
  if (number === 0) return null;
  const say = view.say(editMessages);
  return (
    <p class="hint">
      {say.older(VERSIONS)} <a href={versionHref(number)}>{say.versionTitle(number)}</a>
    </p>
  );
}

/** Chooses two versions to compare. */
function CompareForm({ view, versions }: InView<{ versions: readonly Version[] }>) {
  const say = view.say(editMessages);
  const choices = versions.map(({ version }) => String(version));
  const select = (name: string, label: string, value: string | undefined) => (
    <label class="filter-field">
      <span>{label}</span>
      <select name={name}>
        <ui.Options options={choices} value={value} />
      </select>
    </label>
  );
  return (
    <ui.Panel title={say.compare}>
      <form method="get" action="/console/catalog/version" class="filter">
        {select("since", say.from, choices[1])}
        {select("number", say.to, choices[0])}
        <div class="actions">
          <button type="submit" class="button">{say.show}</button>
        </div>
      </form>
    </ui.Panel>
  );
}
