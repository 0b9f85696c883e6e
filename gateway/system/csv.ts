// Beginnings of spreadsheet formulas, also full-width, and of a cell that hides one.
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TO_QUOTE = /[",\r\n]|^\s|\s$|^'\s/;
// Control characters and changes of direction, which affect a terminal; line ends are quoted.
const UNPRINTABLE = /[^\P{C}\t\r\n]/gu;

/**
 * Formats one line of comma-separated values (RFC 4180), with its CRLF. Text that a spreadsheet
 * would compute gets an apostrophe in front, plain numbers stay, and characters that affect a
 * terminal become question marks: where every character counts, JSON is the format.
 */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(",") + "\r\n";
}

function csvCell(text: string): string {
  const printable = text.replace(UNPRINTABLE, "?");
  const safe = FORMULA.test(printable) && !NUMBER.test(printable) ? `'${printable}` : printable;
  return TO_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
