import { join } from "node:path";
import { areAt, type Folder, notFolder, type Opened, statusOf } from "./folder.ts";

/** A folder known by its path; the application states that no other program swaps a part of it. */
export class TrustedFolder implements Folder {
  readonly path: string;
  readonly isHeld = true;

  /** The root of a workspace, or a folder below it that `enter` found. */
  constructor(path: string) {
    this.path = path;
  }

  at(name: string): string {
    return join(this.path, name);
  }

  async enter(name: string): Promise<Folder> {
    const path = this.at(name);
    if (!(await statusOf(path)).isDirectory()) throw notFolder(path);
    return new TrustedFolder(path);
  }

  readSteadily<Result>(read: () => Promise<Result>): Promise<Result> {
    return read();
  }

  holds(opened: readonly Opened[]): Promise<readonly boolean[]> {
    return areAt(opened, (name) => this.at(name));
  }

  async close(): Promise<void> {}
}
