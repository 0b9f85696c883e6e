/** The caller closed its connection before the answer was complete. */
export class CallerDisconnected extends Error {
  override name = "CallerDisconnected";
}
