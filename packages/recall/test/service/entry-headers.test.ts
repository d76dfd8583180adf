import { describe, expect, it } from 'vitest';
import { EntryHeaders } from '../../src/service/entry-headers.ts';
import { runAllSteps } from '../../src/service/time-slicer.ts';

describe('EntryHeaders', () => {
  it('yields once for every hundred headers when they are saved and read', () => {
    const headers = new EntryHeaders();
    for (let i = 0; i < 1_000; i++) headers.set(`n${i}`, { id: `n${i}`, kind: 'note', timestamp: i });
    expect([...headers.save()].length).toBeGreaterThanOrEqual(10);
    const saved = EntryHeaders.fromSaved(runAllSteps(headers.save()), 1_000);
    expect([...saved.read()].length).toBeGreaterThanOrEqual(10);
    expect([saved.size, saved.get('n999')]).toEqual([1_000, { id: 'n999', kind: 'note', timestamp: 999 }]);
  });
});
