import { describe, expect, it } from 'vitest';
import { extentOf, toLanes, totals } from '../../page/timeline/lanes.ts';
import type { Bar } from '../../page/timeline/lanes.ts';
import { ticks } from '../../page/timeline/ticks.ts';

const bar = (id: string, startMs: number, endMs: number, lane = 'cook', kind: Bar['kind'] = 'tool'): Bar => ({
  ...{ id, lane, kind, label: id, startMs, endMs, eventId: undefined },
});

describe('toLanes', () => {
  it('lays what overlaps below each other, and what follows into the row that is free again', () => {
    const [lane] = toLanes([bar('a', 0, 10), bar('b', 5, 20), bar('c', 10, 15), bar('d', 20, 30)]);
    expect(lane!.bars.map(({ id, row }) => [id, row])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
      ['d', 0],
    ]);
    expect(lane!.rows).toBe(2);
  });

  it('has a lane for each agent, in the order in which they begin', () => {
    expect(toLanes([bar('a', 9, 10, 'later'), bar('b', 0, 20, 'first')]).map(({ name }) => name)).toEqual([
      'first',
      'later',
    ]);
  });

  it('never lays two bars over each other', () => {
    const bars = Array.from({ length: 500 }, (_, i) => bar(String(i), (i * 37) % 200, ((i * 37) % 200) + (i % 17)));
    for (const { bars: placed } of toLanes(bars))
      for (const one of placed)
        for (const other of placed)
          if (one !== other && one.row === other.row)
            expect(one.endMs <= other.startMs || other.endMs <= one.startMs).toBe(true);
  });
});

describe('totals', () => {
  it('counts time once where two of a kind ran at once', () => {
    expect(totals([bar('a', 0, 10), bar('b', 5, 20), bar('m', 0, 3, 'cook', 'model')])).toEqual([
      { kind: 'model', ms: 3 },
      { kind: 'tool', ms: 20 },
    ]);
  });
});

describe('extentOf', () => {
  it('reaches from the first beginning to the last end', () => {
    expect(extentOf([bar('a', 3, 50), bar('b', 1, 4)])).toEqual({ startMs: 1, endMs: 50 });
    expect(extentOf([])).toEqual({ startMs: 0, endMs: 0 });
  });
});

describe('ticks', () => {
  it('stand at round numbers from 0 on, never more than asked for', () => {
    expect(ticks(1_234, 6)).toEqual([0, 500, 1_000]);
    expect(ticks(100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks(0, 5)).toEqual([0]);
    for (let length = 1; length < 1e7; length *= 1.7) expect(ticks(length, 6).length).toBeLessThanOrEqual(7);
  });
});
