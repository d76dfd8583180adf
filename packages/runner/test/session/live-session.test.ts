import { createEvent } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { LiveSession } from '../../src/session/live-session.ts';
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

  it('keeps its state if it receives an older read of the session', async () => {
    const sessions = new InMemorySessionService();
    const older = await sessions.createSession({ appName: 'app', userId: 'ann', sessionId: 's' });
    const live = new LiveSession(structuredClone(older), undefined);
    const event = createEvent({ author: 'root', invocationId: 'i', actions: { stateDelta: { count: 1 } } });
    live.add(await sessions.appendEvent({ session: live.ref, event }));
    live.catchUp(older, undefined);
    expect(live.read('count')).toBe(1);
  });
});
