import { describe, expect, it } from 'vitest';
import { SessionLog } from '../../src/history/session-log.ts';
import { agent, compaction, historyOf, rewind, user } from '../contents/history-of.ts';

const five = historyOf(user('1'), agent('a', '2'), user('3'), agent('a', '4'), user('5'));
const seqs = (log: SessionLog): (number | undefined)[] => [...log].map(({ seq }) => seq);

describe('SessionLog', () => {
  it('keeps its epoch while events are pushed', () => {
    const log = new SessionLog(five.slice(0, 2));
    for (const event of five.slice(2)) log.push(event);
    expect([log.length, log.epoch, log.lastSeq]).toEqual([5, 0, 5]);
    expect([log.at(0), log.at(-1), log.at(5)]).toEqual([five[0], five[4], undefined]);
  });

  it('changes its epoch when a rewind or a compaction is pushed (contract 17)', () => {
    const [, , marker, record] = historyOf(
      user('1'),
      agent('a', '2'),
      rewind('i1'),
      compaction(['e1'], 'short', { startSeq: 1, endSeq: 1 }),
    );
    const log = new SessionLog(five.slice(0, 2));
    log.push(marker!);
    expect(log.epoch).toBe(1);
    log.push(record!);
    expect(log.epoch).toBe(2);
  });

  it('does not change its epoch for a compaction that an agent wrote (contract 26)', () => {
    const log = new SessionLog();
    log.push(historyOf({ ...compaction(['e1'], 'short', { startSeq: 1, endSeq: 1 }), author: 'a' })[0]!);
    expect(log.epoch).toBe(0);
  });

  it('inserts missing events by their seq and changes its epoch (contract 8)', () => {
    const log = new SessionLog([five[0]!, five[4]!]);
    log.insertMissing([five[3]!, five[1]!, five[2]!]);
    expect(seqs(log)).toEqual([1, 2, 3, 4, 5]);
    expect(log.epoch).toBe(1);
  });

  it('keeps its epoch if all missing events are newer than its events', () => {
    const log = new SessionLog(five.slice(0, 3));
    log.insertMissing([five[4]!, five[3]!]);
    expect(seqs(log)).toEqual([1, 2, 3, 4, 5]);
    expect(log.epoch).toBe(0);
  });

  it('ignores events that it already contains (contract 7)', () => {
    const log = new SessionLog(five);
    log.push(five[2]!);
    log.insertMissing([five[1]!, five[4]!]);
    expect(seqs(log)).toEqual([1, 2, 3, 4, 5]);
    expect(log.epoch).toBe(0);
  });

  it('sorts events and changes the epoch when it is reset', () => {
    const log = new SessionLog(five);
    log.reset([five[1]!, five[0]!]);
    expect(seqs(log)).toEqual([1, 2]);
    expect(log.epoch).toBe(1);
  });
});
