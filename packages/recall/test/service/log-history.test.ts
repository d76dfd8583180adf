import type { MemoryChange, MemoryChanges } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { LogHistory } from '../../src/service/log-history.ts';

/** A memory log that can return to an earlier state. */
class Log {
  #seq = 0;
  #changes: MemoryChange[] = [];
  #writes = 0;

  /** Writes entries. Ids that start with a minus are removed. */
  write(...ids: string[]): void {
    const writeId = `w${this.#writes++}`;
    for (const id of ids) {
      const name = id.replace('-', '');
      this.#changes = this.#changes.filter((change) => idOf(change) !== name);
      const seq = ++this.#seq;
      if (id.startsWith('-')) this.#changes.push({ seq, removed: name, writeId });
      else this.#changes.push({ seq, entry: { id, kind: 'note', content: { parts: [] } }, writeId });
    }
  }

  since(seq: number, limit: number): MemoryChanges {
    const last = this.#changes.findLast((change) => change.seq <= seq);
    const after = this.#changes.filter((change) => change.seq > seq);
    return {
      changes: after.slice(0, limit),
      previous: last ? { seq: last.seq, id: idOf(last), writeId: last.writeId } : null,
      removals: 0,
      more: after.length > limit,
    };
  }

  save(): () => void {
    const [seq, changes] = [this.#seq, this.#changes];
    return () => {
      this.#seq = seq;
      this.#changes = changes;
    };
  }

  /** The current changes as text. */
  get state(): string {
    return JSON.stringify(this.#changes.map(({ seq, writeId, ...change }) => [seq, writeId, idOf({ seq, ...change })]));
  }
}

/** Reads a log as an index does. */
class Reader {
  history = new LogHistory();
  #seq = 0;
  #read: MemoryChange[] = [];

  /** Reads the changes. Returns false if the log has lost changes. `onPage` is called between two pages. */
  update(log: Log, limit = 100, onPage?: () => void): boolean {
    for (;;) {
      const page = log.since(this.#seq, limit);
      if (this.history.add(page) !== 'complete') return false;
      const ids = new Set(page.changes.map(idOf));
      this.#read = [...this.#read.filter((change) => !ids.has(idOf(change))), ...page.changes];
      this.#seq = page.changes.at(-1)?.seq ?? this.#seq;
      if (!page.more) return true;
      onPage?.();
    }
  }

  get state(): string {
    return JSON.stringify(this.#read.map((change) => [change.seq, change.writeId, idOf(change)]));
  }
}

function idOf(change: MemoryChange): string {
  return 'removed' in change ? change.removed : change.entry.id;
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `n${i}`);
}

describe('LogHistory', () => {
  it('accepts changes and removals of a log that has lost nothing', () => {
    const [log, reader] = [new Log(), new Reader()];
    expect(reader.update(log)).toBe(true);
    for (const ids of [['a', 'b'], ['b'], ['-a'], ['c', '-b', 'a'], ['a'], numbers(300), ['n299', '-n298']]) {
      log.write(...ids);
      expect(reader.update(log)).toBe(true);
      expect(reader.update(log)).toBe(true);
      expect(reader.state).toBe(log.state);
    }
  });

  it('accepts an entry that was changed many times since the last read', () => {
    const [log, reader] = [new Log(), new Reader()];
    log.write(...numbers(200), 'profile');
    expect(reader.update(log)).toBe(true);
    for (let i = 0; i < 500; i++) log.write('profile');
    expect(reader.update(log)).toBe(true);
  });

  it('reports no loss if all changes that it contains were replaced by later changes', () => {
    const [log, reader] = [new Log(), new Reader()];
    log.write('old', ...numbers(300));
    expect(reader.update(log)).toBe(true);
    log.write(...numbers(300).map((id) => `-${id}`));
    for (const limit of [1, 250, 300]) expect(reader.history.add(log.since(301, limit))).toBe('unknown');
  });

  it('detects a log that was lost, if it is empty, shorter, as long or longer', () => {
    for (const count of [0, 3, 5, 9]) {
      const [log, reader] = [new Log(), new Reader()];
      const restore = log.save();
      log.write(...numbers(5));
      expect(reader.update(log)).toBe(true);
      restore();
      if (count > 0) log.write(...numbers(count));
      expect(reader.update(log)).toBe(false);
    }
  });

  it('detects a lost write if the same entries are written again after other entries', () => {
    const [log, reader] = [new Log(), new Reader()];
    log.write('old');
    const restore = log.save();
    log.write('lost');
    log.write('turn', 'profile');
    expect(reader.update(log)).toBe(true);
    restore();
    log.write('new');
    log.write('turn', 'profile');
    log.write('profile');
    expect(reader.update(log)).toBe(false);
  });

  it('detects a lost removal', () => {
    const [log, reader] = [new Log(), new Reader()];
    log.write('a', 'b');
    const restore = log.save();
    log.write('-a');
    expect(reader.update(log)).toBe(true);
    restore();
    log.write('c');
    expect(reader.update(log)).toBe(false);
  });

  it('accepts changes without ids of writes, and a store that does not return `previous`', () => {
    const history = new LogHistory();
    const entry = { id: 'a', kind: 'note' as const, content: { parts: [] } };
    expect(history.add({ changes: [{ seq: 1, entry }], previous: null, removals: 0, more: false })).toBe('complete');
    expect(history.add({ changes: [], previous: { seq: 1, id: 'a' }, removals: 0, more: false })).toBe('complete');
    expect(history.add({ changes: [], removals: 0, more: false })).toBe('complete');
    expect(history.add({ changes: [], previous: { seq: 1, id: 'b' }, removals: 0, more: false })).toBe('lost');
  });

  it('is the same after it was saved as columns', () => {
    const [log, reader] = [new Log(), new Reader()];
    log.write(...numbers(100));
    const restore = log.save();
    log.write('lost');
    reader.update(log);
    reader.history = LogHistory.fromColumns(reader.history.toColumns());
    expect(reader.update(log)).toBe(true);
    restore();
    log.write('new', 'n3');
    expect(reader.update(log)).toBe(false);
  });

  it('has read all changes whenever it accepts a log, for random writes and losses', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    let losses = 0;
    for (let round = 0; round < 60; round++) {
      const [log, names] = [new Log(), 2 + random(12)];
      let reader = new Reader();
      let restore = log.save();
      const write = (): void => log.write(`${random(5) === 0 ? '-' : ''}k${random(names)}`, `k${random(names)}`);
      for (let step = 0; step < 20; step++) {
        const action = random(6);
        if (action === 0) restore = log.save();
        else if (action === 1) restore();
        else if (action < 4) write();
        else {
          const isAccepted = reader.update(log, 1 + random(5), () => random(3) === 0 && write());
          if (!isAccepted) [reader, losses] = [new Reader(), losses + 1];
          else if (reader.update(log)) expect(reader.state).toBe(log.state);
        }
      }
    }
    expect(losses).toBeGreaterThan(10);
  });
});
