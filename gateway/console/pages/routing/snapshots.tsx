import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import type { Snapshots } from "./answers.ts";
import { routingMessages } from "./messages.ts";

/** Snapshots that are listed: the newest. */
const LISTED = 8;

type Snapshot = Snapshots["snapshots"][number];

/** The stored snapshots, to freeze routing at one. */
export function SnapshotPanel({ view, list }: InView<{ list: Snapshots }>) {
  const say = view.say(routingMessages);
  const { frozen, newest, snapshots } = list;
  const isListed = (snapshot: Snapshot, at: number) => at < LISTED || snapshot.number === frozen;
  const action = ({ number }: Snapshot) =>
    number === frozen ? <ui.Badge kind="warn">{say.isFrozen}</ui.Badge> : (
      <form method="post">
        <ui.HiddenFields values={{ do: "freeze", snapshot: String(number) }} />
        <button type="submit" class="button">{say.freeze(number)}</button>
      </form>
    );
  return (
    <ui.Panel title={say.snapshots}>
      <p class="hint">{say.snapshotsHint}</p>
      {frozen === null ? <p>{say.following(newest)}</p> : (
        <form method="post" class="beside">
          <p>{say.frozenAt(frozen, newest)}</p>
          <ui.HiddenFields values={{ do: "unfreeze" }} />
          <button type="submit" class="button">{say.unfreeze}</button>
        </form>
      )}
      {snapshots.length > 0 && (
        <ui.Sheet<Snapshot>
          caption={say.snapshots}
          rows={snapshots.filter(isListed)}
          columns={[
            ui.column(say.snapshot, ({ number }) => number, { isHeader: true }),
            ui.column(say.taken, ({ takenAt }) => <ui.Time at={takenAt} />),
            ui.endColumn(say.state, action),
          ]}
        />
      )}
    </ui.Panel>
  );
}
