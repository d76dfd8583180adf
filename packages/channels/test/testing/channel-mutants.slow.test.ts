import { runCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { firstFailure } from '../../../../test/mutants/mutant.ts';
import { channelCases } from '../../src/testing/index.ts';
import { channelMutants, GoodChannel, peerOf } from './channel-mutants.ts';

const claims = ['ids', 'fails', 'rejects', 'keys', 'hostile'];

describe('channelCases', () => {
  it('pass a channel that is not broken', async () => {
    const results = await runCases(channelCases, { create: () => peerOf(new GoodChannel()), claims });
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(results).toHaveLength(channelCases.length);
  });

  // They mostly wait for what does not come.
  for (const { create, id } of channelMutants) {
    it.concurrent(`catch a channel that ${id} (contract 45)`, async ({ expect }) => {
      const mutant = { id, contract: 45, create: () => peerOf(create()) };
      expect(await firstFailure(mutant, channelCases, claims)).toBeDefined();
    });
  }
});
