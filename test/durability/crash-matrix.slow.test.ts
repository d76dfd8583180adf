import { InMemorySessionService } from '@thole/mem-services';
import type { FixedRuntime } from '@thole/testing';
import { runCrashMatrix } from '@thole/testing/simulation';
import { describe, expect, it } from 'vitest';
import { classes } from './runner-classes.ts';

const createSessionService = (runtime: FixedRuntime): InMemorySessionService => new InMemorySessionService({ runtime });

describe('Runner.recover', () => {
  it('continues a run that died at any append or wait, with the same result (contract 7)', async () => {
    const failed: string[] = [];
    let count = 0;
    for await (const { point, violations } of runCrashMatrix({ classes, createSessionService })) {
      count++;
      if (violations.length > 0) failed.push(`${count} ${point}: ${violations.join('\n')}`);
    }
    expect(failed.join('\n\n')).toBe('');
    expect(count).toBeGreaterThan(150);
  });
});
