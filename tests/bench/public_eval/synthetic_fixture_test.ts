/** A synthetic set of questions for the tests of the evaluation. */

import type { Question, QuestionSet } from "./data.ts";

/** Models by rising price; the last is the best. */
export const MODELS = ["tiny", "small", "middle", "large"] as const;

const EASY = "How many apples are in the basket";
const HARD = "Derive the number of lattice paths that never cross the diagonal of the board, and " +
  "explain why each step of the argument is needed for boards of every size";

/**
 * Returns a set of two tasks: at the task `easy` every model is right, at the task `hard` only the
 * large one is, and the cheap ones differ.
 */
export function syntheticSet(count: number): QuestionSet {
  const questions = Array.from({ length: count }, (_, at): Question => {
    const isHard = at % 2 === 1;
    return {
      q: `${isHard ? HARD : EASY} ${"x".repeat(at % 7)}?`,
      cat: isHard ? "hard" : "easy",
      y: isHard ? [0, 0, 0, 1] : [1, 1, 1, 1],
      c: [1, 2, 5, 50],
      a: isHard ? ["p", "q", "r", "s"] : ["s", "s", "s", "s"],
    };
  });
  return {
    name: "synthetic",
    models: MODELS,
    quality: [0.5, 0.55, 0.6, 0.9],
    pair: undefined,
    questions,
  };
}

/** Returns the lines of a set. */
export function textOf({ questions, ...header }: QuestionSet): string {
  return [header, ...questions].map((line) => JSON.stringify(line)).join("\n") + "\n";
}

/** Returns the bytes of a gzipped text. */
export async function gzipped(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
