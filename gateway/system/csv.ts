// What a spreadsheet takes for a formula, full-width forms as well, or a cell that hides one.
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TO_QUOTE = /[",\r\n]|^\s|\s$|^'\s/;
// Control characters and changes of direction, which steer a terminal; line ends are quoted.
const UNPRINTABLE = /[^\P{C}\t\r\n]/gu;

/**
 * One line of comma-separated values (RFC 4180), with its CRLF. A text that a spreadsheet would
 * compute gets an apostrophe in front, plain numbers are left as they are, and what steers a terminal
 * becomes a question mark: where every character counts, JSON is the format.
 */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(",") + "\r\n";
}

function csvCell(text: string): string {
  const shown = text.replace(UNPRINTABLE, "?");
  const safe = FORMULA.test(shown) && !NUMBER.test(shown) ? `'${shown}` : shown;
  return TO_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
