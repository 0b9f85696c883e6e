/** Phrases that a reader has to decode, each with the plain words that take its place. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bnobody\b/i, "Name the role: no caller, no process, no test"],
  [/\bwhoever\b/i, "Name the role: the caller, the operator, the client"],
  [/\b(?:is|are|was|were) told\b/i, 'Write "receives", "reports" or "knows"'],
  [/\bthe one's\b/i, "Name the thing"],
  [/\bgood-?bye\b/i, 'Write "end-of-stream marker"'],
];
