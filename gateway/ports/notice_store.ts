import type { Delivery } from "../domain/notices/delivery.ts";
import type { Incident, Sight } from "../domain/notices/incident.ts";
import type { NoticeTarget } from "../domain/notices/target.ts";
import type { Noted } from "../domain/operators/trail.ts";

/** The selection of a page, newest first. */
export interface NoticePageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The selection of a page of deliveries. */
export interface DeliveryQuery extends NoticePageQuery {
  /** @default {any} */
  readonly state?: Delivery["state"] | undefined;
}

/** A page of rows; the cursor is absent on the last. */
export interface NoticePage<Row> {
  readonly rows: readonly Row[];
  readonly cursor?: string | undefined;
}

/**
 * Targets of notifications, incidents, and the outbox of their deliveries. All rows can be listed by
 * `targets`, `incidents` and `deliveries`.
 */
export interface NoticeStore {
  /** Returns all targets, oldest first, with their secrets. */
  targets(): Promise<readonly NoticeTarget[]>;
  /** Stores a target. Returns false, without a change, if there are `TARGETS_MAX` others. */
  putTarget(target: NoticeTarget, options?: Noted<NoticeTarget>): Promise<boolean>;
  /** Removes a target and its deliveries. Returns false if there is none. */
  removeTarget(id: string, options?: Noted<NoticeTarget>): Promise<boolean>;
  /**
   * Stores an incident and its deliveries at once; resolves when they are durable. Returns false,
   * without a change, if an incident under its condition's name has begun and not ended.
   */
  begin(incident: Incident, deliveries: readonly Delivery[]): Promise<boolean>;
  /**
   * Stores the end of an incident and its deliveries at once. Returns false, without a change, if it
   * has ended already.
   */
  end(incident: Incident, deliveries: readonly Delivery[]): Promise<boolean>;
  /** Adds what an instance sees to an incident by `withSight`; does nothing if it has ended. */
  see(id: string, sight: Sight): Promise<void>;
  /** Returns the incidents that have not ended, oldest first. */
  open(): Promise<readonly Incident[]>;
  /** Returns pending deliveries to a target whose time has come, the longest waiting first. */
  due(query: {
    readonly target: string;
    readonly nowMs: number;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  delivery(id: string): Promise<Delivery | undefined>;
  /** Replaces a delivery; does nothing if its target was removed. */
  record(delivery: Delivery): Promise<void>;
  /**
   * Replaces a delivery that was given up. Returns false, without a change, if it is not `dead`, or its
   * target was removed.
   */
  revive(delivery: Delivery, options?: Noted<Delivery>): Promise<boolean>;
  incidents(query: NoticePageQuery): Promise<NoticePage<Incident>>;
  deliveries(query: DeliveryQuery): Promise<NoticePage<Delivery>>;
  /** Deletes incidents that ended before a time, with their deliveries; none that is pending. */
  sweep(beforeMs: number): Promise<number>;
  /**
   * Takes the lease of the only sender, or keeps it. True: for at least `LEASE_SAFE_MS` no other
   * instance sends.
   */
  lead(): Promise<boolean>;
}

/** Time for which a sender may go on after it has kept its lease, in milliseconds. */
export const LEASE_SAFE_MS = 20_000;
