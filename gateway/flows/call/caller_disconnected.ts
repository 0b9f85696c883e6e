/** The caller has gone: there is nobody to answer. */
export class CallerDisconnected extends Error {
  override name = "CallerDisconnected";
}
