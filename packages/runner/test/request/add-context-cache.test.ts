import type { ContextCacheHint, ContextCacheOptions } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';

/** Returns the cache hints of the requests of two agents in three turns: two of session `s1`, one of `s2`. */
async function hintsOf(contextCache: ContextCacheOptions | undefined): Promise<(ContextCacheHint | undefined)[]> {
  const model = new ScriptedLlm(
    ...[calls('transfer_to_agent', { agentName: 'helper' }), says('1'), says('2'), says('3')],
  );
  const helper = new LlmAgent({ name: 'helper', description: 'Helps.', model });
  const rootAgent = new LlmAgent({ name: 'root', model, subAgents: [helper] });
  const sessionService = new InMemorySessionService();
  const app = { name: 'private-app', rootAgent, ...(contextCache && { contextCache }) };
  const runner = new Runner({ app, sessionService, autoCreateSession: true });
  for (const sessionId of ['s1', 's1', 's2'])
    await runner.runToCompletion({ userId: 'ann', sessionId, newMessage: 'hello' });
  return model.requests.map((request) => request.contextCache);
}

describe('App.contextCache', () => {
  it('adds a hint with the same key to all requests of one agent in one session', async () => {
    const [root, helper, again, other] = await hintsOf({ ttlSeconds: 60 });
    expect(root).toEqual({ ttlSeconds: 60, key: expect.stringMatching(/^[\da-f]{64}$/) });
    expect(again).toEqual(helper);
    expect(new Set([root, helper, other].map((hint) => hint!.key)).size).toBe(3);
  });

  it('adds no hint by default', async () => {
    expect(await hintsOf(undefined)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each<[string, ContextCacheOptions]>([
    ['cacheIntervals must be an integer ≥ 1', { cacheIntervals: 0 }],
    ['cacheIntervals must be at most 100', { cacheIntervals: 101 }],
    ['ttlSeconds must be an integer ≥ 1', { ttlSeconds: 0 }],
    ['minTokens must be an integer ≥ 0', { minTokens: -1 }],
    ['createHttpOptions', { createHttpOptions: {} } as ContextCacheOptions],
  ])('throws INVALID_INPUT: %s', async (message, contextCache) => {
    await expect(hintsOf(contextCache)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    });
  });
});
