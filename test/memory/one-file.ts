import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '@thole/core';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { onTestFinished } from 'vitest';

/** One connection to the file. */
export interface Connection {
  sessions: DatabaseSessionService;
  memory: DatabaseMemoryService;
}

/** A SQLite file for sessions and memory. When the test has finished, its connections are closed and the file is removed. */
export class OneFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'memory-'));
  /** URL of the file, for other processes. */
  readonly url: string = `sqlite:///${join(this.#folder, 'memory.db')}`;
  readonly #closing: (() => Promise<void>)[] = [];

  constructor() {
    onTestFinished(async () => {
      for (const close of this.#closing.toReversed()) await close();
      await rm(this.#folder, { recursive: true, force: true });
    });
  }

  connect(runtime?: Runtime): Connection {
    const sessions = new DatabaseSessionService({ dbUrl: this.url, runtime });
    const memory = new DatabaseMemoryService({ dbUrl: this.url, runtime });
    this.closeAtEnd(
      () => memory.close(),
      () => sessions.close(),
    );
    return { sessions, memory };
  }

  /** Registers functions that are called when the test has finished, in reverse order of the calls of `closeAtEnd`. */
  closeAtEnd(...closing: (() => Promise<void>)[]): void {
    this.#closing.push(...closing.toReversed());
  }
}
