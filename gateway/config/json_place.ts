/** Number of characters before the unexpected one that the engine's message shows. */
const SHOWN_BEFORE_CHARS = 10;

/**
 * Returns the place at which a text stops being JSON, such as `line 3, column 7`, from the error of
 * parsing it. The engine's own message quotes the text, which may contain a key.
 */
export function jsonPlace(text: string, error: unknown): string {
  const lines = text.slice(0, offsetOf(text, error)).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function offsetOf(text: string, error: unknown): number {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const shown = /^Unexpected token '[^]+?', (\.\.\.)?"([^]*)"(?:\.\.\.)? is not valid JSON$/.exec(
    message,
  );
  const [, before, part = ""] = shown ?? [];
  if (shown === null) return text.length;
  const begin = text.indexOf(part);
  const token = message.slice("Unexpected token '".length).split("', ")[0] ?? "";
  return begin + (before === undefined ? Math.max(0, part.indexOf(token)) : SHOWN_BEFORE_CHARS);
}
