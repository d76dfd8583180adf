import { contractsCovered, FixedRuntime, register, runCases } from '@thole/testing';
import type { Case } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const counter: Case<{ count: number }>[] = [
  {
    id: 'count.zero',
    sentence: 'begins at nothing',
    contracts: [7, 9],
    check: async (subject) => {
      expect(subject.count++).toBe(0);
    },
  },
  {
    id: 'count.fresh',
    sentence: 'shares nothing with another case',
    contracts: [9],
    check: async (subject) => {
      expect(subject.count).toBe(0);
    },
  },
  {
    id: 'count.fails',
    sentence: 'is two',
    contracts: [3],
    check: async (subject) => {
      expect(subject.count).toBe(2);
    },
  },
  { id: 'count.leased', sentence: 'needs a lease', contracts: [13], needs: ['lease'], check: async () => {} },
];

function collect(
  suite: Partial<Parameters<typeof register<{ count: number }>>[2]> = {},
): Map<string, () => Promise<void>> {
  const tests = new Map<string, () => Promise<void>>();
  const framework = {
    describe: (_: string, fn: () => void) => fn(),
    it: (name: string, fn: () => Promise<void>) => void tests.set(name, fn),
  };
  register(framework, counter, { name: 'a counter', create: () => ({ count: 0 }), ...suite });
  return tests;
}

describe('register', () => {
  it('names each test by id, sentence and contracts', () => {
    expect([...collect({ claims: ['lease'] }).keys()]).toEqual([
      'count.zero: begins at nothing (contract 7, 9)',
      'count.fresh: shares nothing with another case (contract 9)',
      'count.fails: is two (contract 3)',
      'count.leased: needs a lease (contract 13)',
    ]);
  });

  it('lists the missing claims in the name of a test', () => {
    expect([...collect().keys()].at(-1)).toBe('claims not made: lease (1 case)');
  });

  it('runs pending cases, and fails if one passes', async () => {
    const tests = collect({ pending: { 'count.fails': 'not two yet', 'count.zero': 'thought so' } });
    await tests.get('pending, not two yet: count.fails: is two (contract 3)')!();
    await expect(tests.get('pending, thought so: count.zero: begins at nothing (contract 7, 9)')!()).rejects.toThrow(
      'passes now',
    );
  });

  it('rejects a pending id without a case', () => {
    expect(() => collect({ pending: { 'count.none': 'gone' } })).toThrow('count.none');
  });

  it('rejects a misspelt claim, and accepts claims of other suites', () => {
    expect(() => collect({ claims: ['leases'] })).toThrow('unknown claim leases. Did you mean lease?');
    expect(() => collect({ claims: ['lease', 'watch'] })).not.toThrow();
  });

  it('destroys each subject, also after a failure', async () => {
    let destroyed = 0;
    const tests = collect({ destroy: () => void destroyed++ });
    await expect(tests.get('count.fails: is two (contract 3)')!()).rejects.toThrow();
    expect(destroyed).toBe(1);
  });

  it('fails with the error of the case if destroy fails too', async () => {
    const failDestroy = () => {
      throw new Error('No connection.');
    };
    const [, , failed] = await runCases(counter, { create: () => ({ count: 0 }), destroy: failDestroy });
    expect(String(failed?.error)).not.toContain('No connection.');
    const [passed] = await runCases(counter, { create: () => ({ count: 0 }), destroy: failDestroy });
    expect(String(passed?.error)).toContain('No connection.');
  });

  it('passes one runtime to create and to the case', async () => {
    let created: FixedRuntime | undefined;
    const same: Case<unknown> = {
      id: 'x',
      sentence: 'x',
      contracts: [43],
      check: async (_, t) => {
        expect(t.runtime).toBe(created);
      },
    };
    const [result] = await runCases([same], { create: (runtime) => (created = runtime) });
    expect(result).toEqual({ id: 'x', contracts: [43] });
  });
});

describe('runCases', () => {
  it('returns failed cases, and counts a hanging case as failed', async () => {
    const hanging: Case<{ count: number }> = {
      id: 'count.hangs',
      sentence: 'ends',
      contracts: [1],
      check: () => new Promise(() => {}),
    };
    const results = await runCases([...counter, hanging], { create: () => ({ count: 0 }), limitMs: 20 });
    expect(results.map(({ id, error }) => [id, error !== undefined])).toEqual([
      ['count.zero', false],
      ['count.fresh', false],
      ['count.fails', true],
      ['count.hangs', true],
    ]);
  });
});

describe('contractsCovered', () => {
  it('returns the ids of the cases of each contract', () => {
    expect([...contractsCovered(counter)]).toEqual([
      [7, ['count.zero']],
      [9, ['count.zero', 'count.fresh']],
      [3, ['count.fails']],
      [13, ['count.leased']],
    ]);
  });
});
