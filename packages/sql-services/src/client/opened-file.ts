import { statSync } from 'node:fs';
import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';

const CHECK_EVERY_MS = 1_000;

/** The file of an open database. Writes to a file that was deleted or replaced would be lost when the connection closes. */
export class OpenedFile {
  readonly #path: string;
  readonly #displayName: string;
  readonly #runtime: Runtime;
  readonly #id: string | undefined;
  #checkedAt: number;

  constructor(p: { path: string; displayName: string; runtime: Runtime }) {
    this.#path = p.path;
    this.#displayName = p.displayName;
    this.#runtime = p.runtime;
    this.#id = readFileId(p.path);
    this.#checkedAt = p.runtime.monotonic();
  }

  /** Throws `STORE_UNAVAILABLE` if the path has no file or another file. Checks at most once per second. */
  assertUnchanged(): void {
    const now = this.#runtime.monotonic();
    if (this.#id === undefined || now - this.#checkedAt < CHECK_EVERY_MS) return;
    if (readFileId(this.#path) !== this.#id) {
      const message = `${this.#displayName} was deleted, moved or replaced while it was open. Nothing was written. Restart the process.`;
      throw new TholeError('STORE_UNAVAILABLE', message);
    }
    this.#checkedAt = now;
  }
}

function readFileId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
