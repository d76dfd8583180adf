import { InMemorySessionService } from '@thole/mem-services';
import type { FixedRuntime } from '@thole/testing';
import { runCrashMatrix } from '@thole/testing/simulation';
import { describe, expect, it } from 'vitest';
import { classes } from './runner-classes.ts';

const createSessionService = (runtime: FixedRuntime): InMemorySessionService => new InMemorySessionService({ runtime });

describe('Runner.recover', () => {
  const fates = [
    ['died', 'dies'],
    ['was closed', 'closes'],
    ['paused for longer than its lease', 'stalls'],
    ['did not receive an answer of the store', 'fails'],
  ] as const;
  it.each(fates)('continues a run whose process %s at any append or wait (contract 7)', async (_, fate) => {
    const failed: string[] = [];
    let count = 0;
    for await (const { point, violations } of runCrashMatrix({ classes, createSessionService }, fate)) {
      count++;
      if (violations.length > 0) failed.push(`${count} ${point}: ${violations.join('\n')}`);
    }
    expect(failed.join('\n\n')).toBe('');
    expect(count).toBeGreaterThan(150);
  });
});
