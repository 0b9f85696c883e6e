/**
 * Reads what schemathesis reports.
 *
 * @module
 */

/** Refusals that rest on the state of the service, or on a rule that JSON Schema cannot say. */
const BEYOND_SCHEMAS: readonly RegExp[] = [
  // A request may name things that do not exist.
  /^There is no (?:wallet|key|tier|vector store|request)\b/,
  /^(?:Cannot accept "policy\.[\w.]+": )?The catalog has no \w+/,
  /^This is not key /,
  /^The policy may not allow more than before/,
  /^The time must begin before it ends$/,
  /^The address is longer than \d+ characters$/,
  // Days that no calendar has, ranges whose parts do not fit, numbers with too many places.
  / is no ISO 8601 time and no duration /,
  / is no CIDR range, /,
  /Give an amount of credits of at most 15 digits and six decimal places/,
  // The document that is applied as a catalog has rules between its parts.
  /^Cannot use the configuration: /,
  /^The tool type .* is not supported; declare /,
  /^Cannot accept "available": Give the amount that came with the page before$/,
  /^There is no item with the id in after$/,
  // An image has to be an image, at an address that can be reached, of a size that a model draws.
  /^Cannot draw /,
  /image/i,
];
/** Calls of the playground are judged by the endpoint that they name. */
const PLAYGROUND = "/admin/v1/playground";

/** Failures and errors of a report that nothing explains. */
export function unexpected(report: string): string[] {
  const errors = /^=+ ERRORS =+$([\s\S]*?)^=+ (?:FAILURES|WARNINGS|SUMMARY) =+$/m.exec(report);
  const failures = report.split(/^- (?=ST\d+ )/m).slice(1);
  const complaints = failures.filter((failure) => {
    const text = /"message":("(?:[^"\\]|\\.)*")/.exec(failure)?.[1] ?? '""';
    const message = String(JSON.parse(text));
    const isRejected = failure.startsWith("ST202 ");
    if (isRejected && failure.includes(PLAYGROUND)) return false;
    return !isRejected || !BEYOND_SCHEMAS.some((pattern) => pattern.test(message));
  });
  const hasRun = /^ +\d+ generated/m.test(report);
  return [
    ...hasRun ? [] : [report],
    ...errors?.[1] === undefined ? [] : [errors[1]],
    ...complaints,
  ];
}
