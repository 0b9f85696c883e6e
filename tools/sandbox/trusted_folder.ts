import { join } from "node:path";
import { areAt, type Folder, look, notFolder, type Opened } from "./folder.ts";

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
    if (!(await look(path)).isDirectory()) throw notFolder(path);
    return new TrustedFolder(path);
  }

  steady<Seen>(look: () => Promise<Seen>): Promise<Seen> {
    return look();
  }

  holds(opened: readonly Opened[]): Promise<readonly boolean[]> {
    return areAt(opened, (name) => this.at(name));
  }

  async close(): Promise<void> {}
}
