import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as columnFormat from '../../src/service/pack-columns.ts';
import type { Column } from '../../src/service/pack-columns.ts';
import { runAllSteps } from '../../src/service/time-slicer.ts';

const packColumns = (columns: readonly Column[]): Uint8Array => runAllSteps(columnFormat.packColumns(columns));
const unpackColumns = (bytes: Uint8Array): Column[] | undefined => runAllSteps(columnFormat.unpackColumns(bytes));

const column: fc.Arbitrary<Column> = fc.oneof(
  fc.array(fc.string({ unit: 'grapheme' })),
  fc.float64Array(),
  fc.int32Array(),
  fc.uint8Array(),
);

describe('packColumns and unpackColumns', () => {
  it('unpacks the columns that were packed', () => {
    fc.assert(
      fc.property(fc.array(column), (columns) => {
        expect(unpackColumns(packColumns(columns))).toEqual(columns);
      }),
    );
  });

  it('returns undefined for bytes that are cut, changed or in another format', () => {
    const packed = packColumns([['a', 'b'], new Float64Array([1, 2]), new Uint8Array([1, 2, 3])]);
    fc.assert(
      fc.property(fc.nat({ max: packed.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = packed.slice();
        changed[at]! ^= by;
        expect(unpackColumns(changed)).toBeUndefined();
        expect(unpackColumns(packed.slice(0, at))).toBeUndefined();
      }),
    );
    expect(unpackColumns(new Uint8Array(64))).toBeUndefined();
  });

  it('yield once for every 2,000 strings', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `word ${i}`);
    expect([...columnFormat.packColumns([names])].length).toBeGreaterThanOrEqual(10);
    expect([...columnFormat.unpackColumns(packColumns([names]))].length).toBeGreaterThanOrEqual(10);
  });

  it('yield once for every megabyte that they copy, and for its check sum', () => {
    const bytes = new Uint8Array(10_000_000);
    expect([...columnFormat.packColumns([bytes])].length).toBeGreaterThanOrEqual(19);
    expect([...columnFormat.unpackColumns(packColumns([bytes]))].length).toBeGreaterThanOrEqual(10);
  });
});
