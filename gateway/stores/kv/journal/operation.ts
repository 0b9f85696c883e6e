import type { Stage } from "./stage.ts";

/** A change that waits for its commit. */
export interface Operation {
  /** Decides on the stage which rows to change and how to complete. */
  run(stage: Stage): void;
  /** Called instead when no commit is possible. */
  reject(error: Error): void;
}

/** Runs an operation; one that throws is rejected, and the others of its commit go on. */
export function decide(operation: Operation, stage: Stage): void {
  try {
    operation.run(stage);
  } catch (error) {
    operation.reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
  }
}

/** Rejects all operations of a commit. */
export function reject(stage: Stage, error: Error): void {
  for (const answer of stage.answers.splice(0)) answer.reject(error);
}
