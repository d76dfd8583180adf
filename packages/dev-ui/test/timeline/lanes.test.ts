import { describe, expect, it } from 'vitest';
import { extentOf, includesBar, isStop, toLanes, totals } from '../../page/timeline/lanes.ts';
import type { Bar } from '../../page/timeline/lanes.ts';
import { formatTick, ticks } from '../../page/timeline/ticks.ts';
import { moveWindow, revealInWindow, windowAround, zoomWindow } from '../../page/timeline/zoom.ts';

const bar = (id: string, startMs: number, endMs: number, lane = 'cook', kind: Bar['kind'] = 'tool'): Bar => ({
  ...{ id, lane, kind, label: id, startMs, endMs, eventId: undefined },
});

describe('toLanes', () => {
  it('places overlapping bars below each other, and later ones in free rows', () => {
    const [lane] = toLanes([bar('a', 0, 10), bar('b', 5, 20), bar('c', 10, 15), bar('d', 20, 30)]);
    expect(lane!.bars.map(({ id, row }) => [id, row])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
      ['d', 0],
    ]);
    expect(lane!.rows).toBe(2);
  });

  it('returns a lane for each agent, in the order of their starts', () => {
    expect(toLanes([bar('a', 9, 10, 'later'), bar('b', 0, 20, 'first')]).map(({ name }) => name)).toEqual([
      'first',
      'later',
    ]);
  });

  it('never places two bars over each other', () => {
    const bars = Array.from({ length: 500 }, (_, i) => bar(String(i), (i * 37) % 200, ((i * 37) % 200) + (i % 17)));
    for (const { bars: placed } of toLanes(bars))
      for (const one of placed)
        for (const other of placed)
          if (one !== other && one.row === other.row)
            expect(one.endMs <= other.startMs || other.endMs <= one.startMs).toBe(true);
  });
});

describe('totals', () => {
  it('counts time once if two bars of a kind overlap', () => {
    expect(totals([bar('a', 0, 10), bar('b', 5, 20), bar('m', 0, 3, 'cook', 'model')])).toEqual([
      { kind: 'model', ms: 3 },
      { kind: 'tool', ms: 20 },
    ]);
  });
});

describe('extentOf', () => {
  it('returns the range from the first start to the last end', () => {
    expect(extentOf([bar('a', 3, 50), bar('b', 1, 4)])).toEqual({ startMs: 1, endMs: 50 });
    expect(extentOf([])).toEqual({ startMs: 0, endMs: 0 });
  });
});

describe('toLanes with minMs', () => {
  it('places a bar in another row if the previous bar is drawn over its start', () => {
    const [lane] = toLanes([bar('a', 0, 1), bar('b', 2, 30), bar('c', 12, 40)], 10);
    expect(lane!.bars.map(({ id, row }) => [id, row])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
    ]);
  });
});

describe('toLanes with more than 500 bars', () => {
  it('joins short neighbours, and keeps long bars, failures and the number of bars', () => {
    const bars = Array.from({ length: 5_000 }, (_, i) => bar(`b${i}`, i, i + 1));
    bars[1_000] = { ...bars[1_000]!, error: 'BROKEN' };
    bars[1_001] = { ...bars[1_001]!, error: 'RUN_ABORTED', isStopped: true };
    bars.push(bar('long', 100, 4_000, 'cook', 'model'));
    const [lane] = toLanes(bars, 40);
    expect(lane!.bars.length).toBe(1 + 5_000 / 40);
    expect(lane!.bars.flatMap(({ parts }) => parts).length).toBe(5_001);
    expect(lane!.rows).toBe(2);
    expect(lane!.bars[0]).toMatchObject({ id: 'b0', label: '40 steps', kind: 'tool', startMs: 0, endMs: 40 });
    expect(lane!.bars.find(({ id }) => id === 'long')).toMatchObject({ label: 'long', kind: 'model', endMs: 4_000 });
    const failed = lane!.bars.filter(({ error }) => error !== undefined);
    expect(failed.map(({ error, isStopped }) => [error, isStopped])).toEqual([['BROKEN', undefined]]);
    expect(failed.map((each) => includesBar(each, 'b1000'))).toEqual([true]);
  });

  it('places no joined bar over another bar', () => {
    const bars = Array.from({ length: 3_000 }, (_, i) =>
      bar(String(i), (i * 37) % 2_000, ((i * 37) % 2_000) + (i % 90)),
    );
    const [lane] = toLanes(bars, 20);
    for (let row = 0; row < lane!.rows; row++) {
      const placed = lane!.bars.filter((each) => each.row === row);
      const covers = placed.filter(
        (each, i) => i > 0 && each.startMs < Math.max(placed[i - 1]!.endMs, placed[i - 1]!.startMs + 20),
      );
      expect(covers).toEqual([]);
    }
  });

  it('joins nothing up to 500 bars', () => {
    const bars = Array.from({ length: 500 }, (_, i) => bar(`b${i}`, i, i + 1));
    expect(toLanes(bars, 40)[0]!.bars.map(({ label }) => label)).toEqual(bars.map(({ label }) => label));
    expect(toLanes([...bars, bar('b500', 500, 501)], 40)[0]!.bars[0]!.label).toBe('40 steps');
  });

  it('joins bars to a bar with the kind of the longest one, and with an error before a stop', () => {
    const bars = Array.from({ length: 501 }, (_, i) => bar(`b${i}`, 100 * i, 100 * i + 1));
    bars.push(bar('model', 2, 5, 'cook', 'model'), { ...bar('stop', 3, 4), error: 'RUN_ABORTED', isStopped: true });
    bars.push({ ...bar('broken', 4, 5), error: 'BROKEN' });
    const [joined] = toLanes(bars, 40)[0]!.bars;
    expect(joined).toMatchObject({ id: 'b0', label: '4 steps', kind: 'model', endMs: 5, error: 'BROKEN' });
    expect(joined!.isStopped).toBeUndefined();
    expect(['broken', 'b1', undefined].map((id) => includesBar(joined!, id))).toEqual([true, false, false]);
  });
});

describe('isStop', () => {
  it('returns true for a stopped run, and false for a failed run', () => {
    expect(['RUN_ABORTED', 'RUN_LEFT', 'RUN_INTERRUPTED', 'MODEL_FAILED', undefined].map(isStop)).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
  });
});

describe('zoomWindow, moveWindow, revealInWindow', () => {
  const whole = { startMs: 0, endMs: 100 };
  it('keep the time under the pointer, and stay inside the turn', () => {
    expect(zoomWindow(whole, whole, { factor: 0.5, atMs: 20 })).toEqual({ startMs: 10, endMs: 60 });
    expect(zoomWindow({ startMs: 0, endMs: 50 }, whole, { factor: 1.5, atMs: 40 })).toEqual({ startMs: 0, endMs: 75 });
    expect(zoomWindow({ startMs: 10, endMs: 60 }, whole, { factor: 4, atMs: 20 })).toEqual(whole);
    expect(moveWindow({ startMs: 50, endMs: 90 }, whole, 30)).toEqual({ startMs: 60, endMs: 100 });
    expect(revealInWindow({ startMs: 0, endMs: 10 }, whole, { startMs: 50, endMs: 52 })).toEqual({
      startMs: 46,
      endMs: 56,
    });
  });
});

describe('windowAround', () => {
  it('returns twice the length of a bar around it, inside the turn', () => {
    const whole = { startMs: 0, endMs: 100 };
    expect(windowAround({ startMs: 40, endMs: 50 }, whole)).toEqual({ startMs: 35, endMs: 55 });
    expect(windowAround({ startMs: 0, endMs: 10 }, whole)).toEqual({ startMs: 0, endMs: 20 });
    expect(windowAround({ startMs: 10, endMs: 90 }, whole)).toEqual(whole);
    expect(windowAround({ startMs: 50, endMs: 50 }, whole)).toEqual({ startMs: 49.5, endMs: 50.5 });
  });
});

describe('formatTick', () => {
  it('returns a different text with a unit for each tick', () => {
    expect(ticks(1_600, 6).map((ms) => formatTick(ms, 500))).toEqual(['0 ms', '500 ms', '1 s', '1.5 s']);
    for (let length = 3; length < 1e6; length *= 1.7) {
      const marks = ticks(length, 8, 59_000);
      const written = marks.map((ms) => formatTick(ms, marks[1]! - marks[0]!));
      expect(new Set(written).size, String(length)).toBe(written.length);
    }
  });
});

describe('ticks', () => {
  it('returns round numbers from 0, at most the requested count', () => {
    expect(ticks(1_234, 6)).toEqual([0, 500, 1_000]);
    expect(ticks(100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks(0, 5)).toEqual([0]);
    for (let length = 1; length < 1e7; length *= 1.7) expect(ticks(length, 6).length).toBeLessThanOrEqual(7);
  });
});
