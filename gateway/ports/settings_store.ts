/** A store of small settings of the service itself: the pepper, the digest of the admin token. */
export interface SettingsStore {
  get(name: string): Promise<string | undefined>;
  /** Writes unless there is a value already; returns the value in force. */
  setOnce(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}
