import { InMemorySessionService } from '@thole/mem-services';
import type { FixedRuntime } from '@thole/testing';
import { simulateCrashes, simulateJoinedMessages } from '@thole/testing/simulation';
import { describe, expect, it } from 'vitest';
import { rounds } from '../servers/index.ts';
import { classes } from './runner-classes.ts';

const first = Number(process.env['THOLE_SEED'] ?? 1);
const count = process.env['THOLE_SEED'] === undefined ? rounds(50, 10_000) : 1;
const createSessionService = (runtime: FixedRuntime): InMemorySessionService => new InMemorySessionService({ runtime });

describe('Runs with failures of processes and stores', () => {
  it(
    'end with the same result as runs without a failure, for each seed (contract 7)',
    async () => {
      const failed: string[] = [];
      let crashes = 0;
      for (let seed = first; seed < first + count; seed++) {
        const result = await simulateCrashes({ classes, createSessionService }, seed);
        crashes += result.crashes;
        const again = `THOLE_SEED=${seed} vitest run --project slow test/durability/simulation.slow.test.ts`;
        if (result.violations.length > 0) failed.push(`${again}\n${result.violations.join('\n')}`);
      }
      expect(failed.join('\n\n')).toBe('');
      expect(crashes).toBeGreaterThanOrEqual(count > 1 ? count : 0);
    },
    rounds(120_000, 1_800_000),
  );

  it(
    'answer each message that joins a run once and in order, for each seed (contract 13)',
    async () => {
      const failed: string[] = [];
      let joined = 0;
      for (let seed = first; seed < first + count; seed++) {
        const result = await simulateJoinedMessages({ classes, createSessionService }, seed);
        joined += result.joined;
        const again = `THOLE_SEED=${seed} vitest run --project slow test/durability/simulation.slow.test.ts`;
        if (result.violations.length > 0) failed.push(`${again}\n${result.violations.join('\n')}`);
      }
      expect(failed.join('\n\n')).toBe('');
      expect(joined).toBeGreaterThanOrEqual(count > 1 ? count : 0);
    },
    rounds(120_000, 1_800_000),
  );
});
