import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TholeError } from '@thole/core';
import type { Proposal, ProposalAudit } from '@thole/memory';

/** Open proposals for a user's memory, and the applied changes. */
export interface GrowthRecord {
  proposals: Proposal[];
  audits: ProposalAudit[];
}

/** One JSON file per user in a folder, replaced atomically, and readable by its owner only. */
export class GrowthFile {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws `STORE_UNAVAILABLE` for a file that is not valid. */
  read(userId: string): GrowthRecord {
    try {
      const record = JSON.parse(readFileSync(this.#pathOf(userId), 'utf8')) as GrowthRecord;
      if (Array.isArray(record.proposals) && Array.isArray(record.audits)) return record;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return { proposals: [], audits: [] };
    }
    throw new TholeError('STORE_UNAVAILABLE', `The file "${this.#pathOf(userId)}" is not valid. Delete it.`);
  }

  write(userId: string, record: GrowthRecord): void {
    const path = this.#pathOf(userId);
    if (record.proposals.length + record.audits.length === 0) return rmSync(path, { force: true });
    mkdirSync(this.#folder, { recursive: true });
    const temporary = `${path}.${randomUUID()}.tmp`;
    writeFileSync(temporary, JSON.stringify(record, null, 2), { mode: 0o600 });
    renameSync(temporary, path);
  }

  #pathOf(userId: string): string {
    if (!/^[a-z0-9-]+$/.test(userId)) throw new TholeError('INVALID_INPUT', 'userId must be the id of a user.');
    return join(this.#folder, `${userId}.json`);
  }
}
