import { textOf, TholeError } from '@thole/core';
import type { CallOptions, Llm, MemoryService, Runtime, SessionService } from '@thole/core';
import { applyProposals, proposeMemories, undoProposals } from '@thole/memory';
import type { Proposal } from '@thole/memory';
import { GrowthFile } from './growth-file.ts';
import type { GrowthRecord } from './growth-file.ts';

/** Options of `Growth`. */
export interface GrowthOptions {
  appName: string;
  sessions: SessionService;
  memory: MemoryService;
  /** Undefined: `propose` throws. */
  llm: Llm | undefined;
  /** Folder of the files with open proposals. */
  folder: string;
  runtime: Runtime;
}

/** A proposal with the texts that support it. */
export interface ShownProposal {
  proposal: Proposal;
  evidence: { author: string; text: string }[];
}

/** The result of applying proposals. */
export interface GrowthReport {
  applied: number;
  /** Reasons of the proposals that were not applied. */
  refused: string[];
}

/** Maximum number of calls of `apply` that can be undone. */
const MAX_AUDITS = 20;

/**
 * Improves the memory of a user from past conversations: a model proposes, a person approves. Nothing changes before `apply`.
 * Proposals and records whose source was forgotten are deleted.
 */
export class Growth {
  readonly #options: GrowthOptions;
  readonly #file: GrowthFile;

  constructor(options: GrowthOptions) {
    this.#options = options;
    this.#file = new GrowthFile(options.folder);
  }

  /** Lets the model review past conversations. Replaces earlier open proposals. Throws `INVALID_INPUT` without a model. */
  async propose(userId: string, { signal }: CallOptions = {}): Promise<ShownProposal[]> {
    const { appName, llm, memory, runtime, sessions } = this.#options;
    if (!llm)
      throw new TholeError('INVALID_INPUT', 'Proposals need a language model. Set GEMINI_API_KEY or another key.');
    const proposals = await proposeMemories({ appName, userId, sessions, memory, llm, runtime, signal });
    const { audits } = await this.#read(userId);
    this.#file.write(userId, { proposals, audits });
    return this.list(userId);
  }

  /** Returns the open proposals with their evidence. */
  async list(userId: string): Promise<ShownProposal[]> {
    const { proposals } = await this.#read(userId);
    return Promise.all(
      proposals.map(async (proposal) => {
        const entries = await Promise.all(proposal.evidence.map((id) => this.#entry(userId, id)));
        const evidence = entries.flatMap((entry) =>
          entry ? [{ author: entry.author ?? 'unknown', text: textOf(entry.content) }] : [],
        );
        return { proposal, evidence };
      }),
    );
  }

  /** Applies proposals by their ids, and removes them from the open ones. Unknown ids are `INVALID_INPUT`. */
  async apply(userId: string, ids: readonly string[], approvedBy: string): Promise<GrowthReport> {
    const { memory, runtime } = this.#options;
    const record = await this.#read(userId);
    const selected = record.proposals.filter(({ id }) => ids.includes(id));
    if (selected.length === 0 || selected.length !== new Set(ids).size)
      throw new TholeError('INVALID_INPUT', 'There is no such proposal. List the proposals again.');
    const audit = await applyProposals({ memory, proposals: selected, approvedBy, runtime });
    const proposals = record.proposals.filter(({ id }) => !ids.includes(id));
    const audits = [...record.audits, ...(audit.changes.length > 0 ? [audit] : [])].slice(-MAX_AUDITS);
    this.#file.write(userId, { proposals, audits });
    return { applied: audit.changes.length, refused: audit.refused.map(({ reason }) => reason) };
  }

  /** Removes open proposals without applying them. */
  async dismiss(userId: string, ids: readonly string[]): Promise<void> {
    const { audits, proposals } = await this.#read(userId);
    this.#file.write(userId, { audits, proposals: proposals.filter(({ id }) => !ids.includes(id)) });
  }

  /** Undoes the changes of the last `apply`. Returns their number, or undefined if there is nothing to undo. */
  async undo(userId: string): Promise<number | undefined> {
    const { audits, proposals } = await this.#read(userId);
    const audit = audits.at(-1);
    if (!audit) return undefined;
    const undone = await undoProposals({ memory: this.#options.memory, audit });
    this.#file.write(userId, { audits: audits.slice(0, -1), proposals });
    return undone;
  }

  /** True if there is something to undo. */
  async canUndo(userId: string): Promise<boolean> {
    return (await this.#read(userId)).audits.length > 0;
  }

  /** Deletes the records of a user. */
  deleteUser(userId: string): void {
    this.#file.write(userId, { proposals: [], audits: [] });
  }

  /** Reads the record, without proposals and changes whose memories were forgotten. */
  async #read(userId: string): Promise<GrowthRecord> {
    const record = this.#file.read(userId);
    const isStored = async (ids: readonly string[]): Promise<boolean> =>
      (await Promise.all(ids.map((id) => this.#entry(userId, id)))).every((entry) => entry !== undefined);
    const proposals = await filterAsync(record.proposals, ({ evidence, target }) =>
      isStored([...evidence, ...(target ? [target.id] : [])]),
    );
    const audits = [];
    for (const audit of record.audits) {
      const changes = await filterAsync(audit.changes, ({ added, before }) =>
        isStored([added, before].flatMap((entry) => (entry ? [entry.id] : []))),
      );
      if (changes.length > 0) audits.push({ ...audit, changes });
    }
    const kept = { proposals, audits };
    if (JSON.stringify(kept) !== JSON.stringify(record)) this.#file.write(userId, kept);
    return kept;
  }

  async #entry(userId: string, id: string) {
    return this.#options.memory.getMemory?.({ appName: this.#options.appName, userId, id });
  }
}

async function filterAsync<T>(values: readonly T[], isKept: (value: T) => Promise<boolean>): Promise<T[]> {
  const results = await Promise.all(values.map(isKept));
  return values.filter((_, i) => results[i]);
}
