/**
 * The cases of the local tools that the client library of every language runs: data in
 * `tests/conformance/vectors/`, where the names of the files begin with `tools-`.
 */

const FOLDER = new URL("../tests/conformance/vectors/", import.meta.url);

/** A text and the number of its repetitions. */
type Piece = readonly [text: string, times: number];

function isPieces(value: unknown): value is readonly Piece[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((piece) =>
      Array.isArray(piece) && piece.length === 2 && typeof piece[0] === "string" &&
      typeof piece[1] === "number"
    );
}

/** A text by its UTF-16 code units: half of a character cannot be written otherwise. */
interface Units {
  readonly units: readonly number[];
}

function isUnits(value: unknown): value is Units {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "units";
}

/** Returns the text that a member stands for, or the member itself. */
function whole(value: unknown): unknown {
  if (isPieces(value)) return value.map(([text, times]) => text.repeat(times)).join("");
  return isUnits(value) ? String.fromCharCode(...value.units) : value;
}

/** Returns the cases in a file; their type is that of the file. */
export function sharedCases<Cases>(name: string): Cases {
  const text = Deno.readTextFileSync(new URL(`tools-${name}.json`, FOLDER));
  return JSON.parse(text, (_, value) => whole(value));
}
