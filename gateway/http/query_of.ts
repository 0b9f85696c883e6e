/**
 * Returns the fields of a query. One that occurs twice stays a list, which a schema refuses as not
 * being a text.
 */
export function queryOf(
  request: { queries(): Record<string, string[]> },
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request.queries()).map((
      [name, values],
    ) => [name, values.length === 1 ? values[0] : values]),
  );
}
