import { runCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { firstFailure } from '../../../../test/mutants/mutant.ts';
import { channelCases } from '../../src/testing/index.ts';
import { channelMutants, GoodChannel, peerOf } from './channel-mutants.ts';

const claims = ['ids', 'fails', 'rejects', 'keys', 'hostile'];

describe('channelCases', () => {
  it('passes for a correct channel', async () => {
    const results = await runCases(channelCases, { create: () => peerOf(new GoodChannel()), claims });
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(results).toHaveLength(channelCases.length);
  });

  // Concurrent, because the cases mostly wait for messages that do not arrive.
  for (const { create, id } of channelMutants) {
    it.concurrent(`fails for a channel that ${id} (contract 45)`, async ({ expect }) => {
      const mutant = { id, contract: 45, create: () => peerOf(create()) };
      expect(await firstFailure(mutant, channelCases, claims)).toBeDefined();
    });
  }
});
