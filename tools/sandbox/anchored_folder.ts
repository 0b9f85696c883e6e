import { type FileHandle, open } from "node:fs/promises";
import { type Folder, OPEN_FOLDER, type Opened } from "./folder.ts";

/**
 * A folder held by a descriptor. Its entries are reached through the descriptor, so a rename of the
 * folder, or of any above it, has no effect: the equivalent of `openat`. Linux has such paths; Deno
 * allows them only under all permissions.
 */
export class AnchoredFolder implements Folder {
  readonly path: string;
  readonly isHeld = true;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
    this.path = `/proc/self/fd/${handle.fd}`;
  }

  /** Opens a folder, unless its path ends in a link. */
  static async open(path: string): Promise<AnchoredFolder> {
    return new AnchoredFolder(await open(path, OPEN_FOLDER));
  }

  at(name: string): string {
    return `${this.path}/${name}`;
  }

  enter(name: string): Promise<Folder> {
    return AnchoredFolder.open(this.at(name));
  }

  readSteadily<Result>(read: () => Promise<Result>): Promise<Result> {
    return read();
  }

  /**
   * True for each: no part of the path can have been swapped, and a link as the last part is not
   * opened.
   */
  holds(opened: readonly Opened[]): Promise<readonly boolean[]> {
    return Promise.resolve(opened.map(() => true));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
