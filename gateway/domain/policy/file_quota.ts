/**
 * The room that the callers of a wallet have for files and vector stores, and the rate of a key's
 * requests to them.
 *
 * @module
 */

/** The part of a policy about files. An absent number is that of {@linkcode DEFAULT_FILE_QUOTA}. */
export interface FilePolicy {
  /** Number of files of the wallet. */
  readonly files?: number | undefined;
  /** Size of all files of the wallet, in bytes. */
  readonly bytes?: number | undefined;
  /** Number of vector stores that callers of the wallet made. */
  readonly stores?: number | undefined;
  /** Text in those vector stores, in UTF-8 bytes. */
  readonly textBytes?: number | undefined;
  /** Requests to files and vector stores that the key may make in a minute. */
  readonly requestsPerMinute?: number | undefined;
}

/** The parts of the room, and the rate. */
export const ROOM_PARTS = ["files", "bytes", "stores", "textBytes", "requestsPerMinute"] as const;

/** The room that a key may fill its wallet to. */
export type FileQuota = Readonly<Record<keyof FilePolicy, number>>;

/**
 * The room where a policy says nothing: 100 files of 256 MiB together, and 10 vector stores with 128
 * MiB of text, an eighth of what all wallets have. Ten requests a second are several clients that poll.
 */
export const DEFAULT_FILE_QUOTA: FileQuota = {
  files: 100,
  bytes: 256 * 1024 * 1024,
  stores: 10,
  textBytes: 128 * 1024 * 1024,
  requestsPerMinute: 600,
};

/** The largest room that a policy can give. */
export const LARGEST_FILE_QUOTA: FileQuota = {
  files: 10_000,
  bytes: 4 * 1024 * 1024 * 1024,
  stores: 100,
  textBytes: 1024 * 1024 * 1024,
  requestsPerMinute: 60_000,
};

/** Returns the room that a policy gives. */
export function fileQuotaOf({ files: policy = {} }: { readonly files?: FilePolicy | undefined }) {
  return {
    files: policy.files ?? DEFAULT_FILE_QUOTA.files,
    bytes: policy.bytes ?? DEFAULT_FILE_QUOTA.bytes,
    stores: policy.stores ?? DEFAULT_FILE_QUOTA.stores,
    textBytes: policy.textBytes ?? DEFAULT_FILE_QUOTA.textBytes,
    requestsPerMinute: policy.requestsPerMinute ?? DEFAULT_FILE_QUOTA.requestsPerMinute,
  } satisfies FileQuota;
}

/** Returns the paths at which a policy gives more room than another. */
export function widenedFiles(
  candidate: { readonly files?: FilePolicy | undefined },
  original: { readonly files?: FilePolicy | undefined },
): string[] {
  const [room, allowed] = [fileQuotaOf(candidate), fileQuotaOf(original)];
  return ROOM_PARTS.filter((name) => room[name] > allowed[name]).map((name) => `files.${name}`);
}
