import { Additions, type OutcomeNote } from "../../domain/learning/additions.ts";
import type { Vote, VoteStore } from "../../ports/vote_store.ts";

/** Votes that are read at once, and the most that one snapshot adds; the next adds the rest. */
const VOTES_READ = 1_000;
const VOTES_ADDED_MAX = 50_000;

/**
 * Returns the additions with the votes after `from`, and the cursor of the last one. Votes are counted
 * from the store only, and the snapshot names the last one: so a kill loses none and counts none
 * twice.
 */
export async function withVotes(
  store: Pick<VoteStore, "since">,
  from: string | undefined,
  collected: Additions,
): Promise<{ additions: Additions; votes: string | undefined }> {
  let cursor = from;
  let additions = collected;
  for (let added = 0; added < VOTES_ADDED_MAX;) {
    const page = await store.since(cursor, VOTES_READ);
    if (page.votes.length === 0) break;
    if (additions === collected) {
      // The votes must not be among the additions that are collected again after a failure.
      additions = new Additions();
      additions.append(collected);
    }
    for (const vote of page.votes) additions.noteOutcome(outcomeOf(vote));
    added += page.votes.length;
    cursor = page.cursor;
  }
  return { additions, votes: cursor };
}

function outcomeOf({ walletId, task, model, atMs, score, load }: Vote): OutcomeNote {
  return { walletId, task, model, atMs, score, load, source: "feedback", weight: 1 };
}
