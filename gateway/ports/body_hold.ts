/** Bytes of one request body that count against the memory limits. */
export interface BodyHold {
  /**
   * Adds bytes to the hold. Returns a promise if the request must wait for memory. Throws or rejects
   * with a `ServiceFault` if there is none.
   */
  take(bytes: number): Promise<void> | undefined;
  /** Adds bytes if there is memory for them now. Returns false, without a change, if there is not. */
  tryTake(bytes: number): boolean;
  /** Releases all bytes. Further calls do nothing. */
  release(): void;
}
