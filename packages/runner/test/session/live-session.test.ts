import { describe, expect, it } from 'vitest';
import { agentOf, createSetup, hello, says } from '../support/setup.ts';

describe('LiveSession', () => {
  it('has the keys of its state in the same order, cached or loaded (contract 3)', async () => {
    const orders: string[][] = [];
    const agent = agentOf('root', async function* (context) {
      orders.push(Object.keys(context.state.toRecord()));
      context.state.set('b', 1);
      context.state.set('a', 1);
      context.state.set('user:c', 1);
      yield says(context, 'one');
    });
    const { runner, newRunner } = await createSetup(agent);
    await runner.runToCompletion(hello);
    await runner.runToCompletion(hello);
    await newRunner().runToCompletion(hello);
    expect(orders).toEqual([[], ['a', 'b', 'user:c'], ['a', 'b', 'user:c']]);
  });
});
