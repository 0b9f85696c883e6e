/** The caller has gone: there is nobody to answer. */
export class CallerLeft extends Error {
  override name = "CallerLeft";
}
