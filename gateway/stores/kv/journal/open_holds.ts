import type { Hold, JournalEntry } from "../../../domain/ledger/ledger.ts";
import { holdOfEntry, progressOfEntry } from "../../../domain/ledger/replay.ts";

/** Applies one journal line to the open holds, by id. */
export function followHold(holds: Map<string, Hold>, entry: JournalEntry): void {
  switch (entry.op) {
    case "hold":
      return void holds.set(entry.id, holdOfEntry(entry));
    case "progress": {
      const hold = holds.get(entry.id);
      if (hold !== undefined) holds.set(entry.id, { ...hold, progress: progressOfEntry(entry) });
      return;
    }
    case "settle":
    case "void":
    case "expire":
      return void holds.delete(entry.id);
    default:
  }
}
