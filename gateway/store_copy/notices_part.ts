import type { Delivery } from "../domain/notices/delivery.ts";
import type { Incident } from "../domain/notices/incident.ts";
import type { NoticeTarget } from "../domain/notices/target.ts";
import type { NoticePage, NoticePageQuery } from "../ports/notice_store.ts";
import { StoreError } from "../ports/store_error.ts";
import type { PartKind } from "./part.ts";

/** A target of notifications, or an incident with its deliveries. */
export type Notices = { readonly target: NoticeTarget } | {
  readonly incident: Incident;
  readonly deliveries: readonly Delivery[];
};

/** Incidents or deliveries that are read at once. */
const PAGE = 200;

/** Notifications: targets, and the incidents of the last weeks, oldest first. */
export const notices: PartKind<Notices> = {
  name: "notifications",
  async *each({ noticeStore }) {
    const targets = await noticeStore.targets();
    for (const target of targets) yield { target };
    const known = new Set(targets.map(({ id }) => id));
    // A removed target has no deliveries, and an incident is deleted with its own.
    const deliveries = (await allOf((query) => noticeStore.deliveries(query)))
      .filter(({ target }) => known.has(target));
    const byIncident = Map.groupBy(deliveries, ({ message }) => message.incident);
    for (const incident of await allOf((query) => noticeStore.incidents(query))) {
      yield { incident, deliveries: byIncident.get(incident.id) ?? [] };
    }
  },
  async put({ noticeStore }, [item]) {
    if (item === undefined) return;
    if ("target" in item) {
      if (await noticeStore.putTarget(item.target)) return;
      throw new StoreError(`Cannot copy target "${item.target.id}": there are too many`);
    }
    const { endedAtMs, endText, ...began } = item.incident;
    await noticeStore.begin(began, item.deliveries);
    if (endedAtMs !== undefined) await noticeStore.end({ ...began, endedAtMs, endText }, []);
  },
  atOnce: 1,
};

/** Reads all pages, which are newest first; returns the oldest first. */
async function allOf<Row>(
  pageOf: (query: NoticePageQuery) => Promise<NoticePage<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf({ limit: PAGE, cursor });
    rows.push(...page.rows);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return rows.reverse();
}
