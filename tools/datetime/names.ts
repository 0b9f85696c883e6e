/** English names of the days, Monday first as ISO 8601 has them. */
export const WEEKDAYS: readonly string[] =
  "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

/** English names of the months, cut as mail headers have them. */
export const MONTHS: readonly string[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(
  " ",
);
