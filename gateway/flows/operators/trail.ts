import {
  differences,
  type EntryMaker,
  loggable,
  type TrailAuthor,
  type TrailDraft,
} from "../../domain/operators/trail.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { TrailStore } from "../../ports/trail_store.ts";

/** Dependencies of {@linkcode Trail}. */
export interface TrailDeps {
  readonly trailStore: TrailStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly logger: Logger;
}

/** An action of somebody. */
export interface TrailAction {
  readonly author: TrailAuthor;
  readonly action: string;
  readonly subject: string;
  /** Values that it was asked with. */
  readonly values?: unknown;
  readonly remark?: string | undefined;
}

/** Writes the audit log of the admin side. */
export class Trail {
  readonly #deps: TrailDeps;

  constructor(deps: TrailDeps) {
    this.#deps = deps;
  }

  /** Notes a fact, such as a sign-in or an export; it is durable when this resolves. */
  async note(action: TrailAction): Promise<void> {
    await this.#deps.trailStore.append(this.#draft(action, "noted"));
  }

  /**
   * Runs a change whose store commits its entry with it: `work` passes on the entry that it is given.
   * A change that is refused has an entry of its own; one that changes nothing, such as a repeat, has
   * none.
   */
  async together<T>(
    action: TrailAction,
    work: (entry: EntryMaker) => Promise<T>,
  ): Promise<T> {
    const shown = <Thing>(thing: Thing | undefined, show: (thing: Thing) => unknown) =>
      thing === undefined ? undefined : loggable(show(thing));
    try {
      return await work((show) => ({ before, after }) => ({
        ...this.#draft(action, "done"),
        ...differences(shown(before, show), shown(after, show)),
      }));
    } catch (error) {
      await this.#end(this.#refusal(action, error));
      throw error;
    }
  }

  /**
   * Runs a change between two entries: the first is durable before the change is tried, the second
   * before it is answered. A process that dies in between leaves the first one alone: its change may
   * have happened, and the state says if it has. `state` returns what is about to change.
   */
  async change<T>(
    action: TrailAction,
    { work, state }: {
      readonly work: () => Promise<T>;
      /** Returns the thing as it is; `undefined` where there is none. */
      readonly state: (result: T | undefined) => Promise<unknown>;
    },
  ): Promise<T> {
    const before = loggable(await state(undefined));
    const { place: of } = await this.#deps.trailStore.append(this.#draft(action, "begun"));
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await this.#end({ ...this.#refusal(action, error), of });
      throw error;
    }
    const states = await this.#statesAfter(action, { before, state: () => state(result) });
    const { values: _, ...end } = this.#draft(action, "done");
    await this.#end({ ...end, ...states, of });
    return result;
  }

  #refusal(action: TrailAction, error: unknown): TrailDraft {
    return { ...this.#draft(action, "refused"), remark: String(loggable(faultText(error))) };
  }

  /** Returns what differs after a change; nothing where that cannot be read: the change happened. */
  async #statesAfter(
    { action, subject }: TrailAction,
    { before, state }: { readonly before: unknown; readonly state: () => Promise<unknown> },
  ): Promise<Partial<ReturnType<typeof differences>>> {
    try {
      return differences(before, loggable(await state()));
    } catch (error) {
      const fields = { action, subject, error: String(error) };
      this.#deps.logger.error("audit_log_state_missing", fields);
      return {};
    }
  }

  /** Stores an entry after a change was tried. The answer is the same without it. */
  async #end(end: TrailDraft): Promise<void> {
    try {
      await this.#deps.trailStore.append(end);
    } catch (error) {
      const { action, subject, of } = end;
      this.#deps.logger.error("audit_log_end_missing", {
        of,
        action,
        subject,
        error: String(error),
      });
    }
  }

  #draft({ values, ...action }: TrailAction, stage: TrailDraft["stage"]): TrailDraft {
    const logged = values === undefined ? {} : { values: loggable(values) };
    return { atMs: this.#deps.clock.nowMs(), stage, ...action, ...logged };
  }
}

function faultText(error: unknown): string {
  return error instanceof ServiceFault ? `${error.code}: ${error.message}` : "internal";
}
