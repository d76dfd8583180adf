import type { SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, outcomeOf, ref, rootOf, settle, toolOf } from '../support/llm-setup.ts';

describe('Runner.resume in two processes at the same time', () => {
  const holder = 0;
  it.each([
    ['has the lease', holder],
    ['joins the other run', 1 - holder],
  ])('accepts the first answer; the runner of the second, which %s, gets INTERRUPT_ANSWERED', async (_, late) => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    await sessions.createSession(ref);
    let paid = 0;
    const pay = toolOf('pay', () => ++paid, { requireConfirmation: true });
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const models = [new ScriptedLlm(calls('pay', {}, 'c1'), says('Done.')), new ScriptedLlm()];
    const runners = await Promise.all(
      models.map(async (model, i) => {
        const sessionService = withSlowAnswers(sessions, gates[i]!.promise);
        return (await createSetup(rootOf(model, { tools: [pay] }), { sessionService, runtime })).runner;
      }),
    );
    const { interrupts } = await runners[holder]!.runToCompletion(hello);
    const { id } = interrupts[0]!;
    const outcomes = [];
    for (const i of [holder, 1 - holder]) {
      outcomes[i] = outcomeOf(runners[i]!.resume({ ...ref, answers: { [id]: i !== late } }));
      // Both runners have validated their answers and wait in appendEvent.
      await settle();
    }
    gates[1 - late]!.resolve();
    await settle();
    gates[late]!.resolve();
    const [first, second] = [await outcomes[1 - late]!, await outcomes[late]!];
    expect([first.error, second.error?.code]).toEqual([undefined, 'INTERRUPT_ANSWERED']);
    const { events } = (await sessions.getSession(ref))!;
    const stored = events.find((event) => event.id === `${id}:answer`)!.content!.parts![0]!.functionResponse!;
    expect(stored.response).toEqual({ confirmed: true });
    expect(events.at(-1)!.content!.parts![0]!.text).toBe('Done.');
    expect(events.filter(({ errorCode }) => errorCode !== undefined)).toEqual([]);
    expect(paid).toBe(1);
    // The runner with the lease continues the invocation, also if the other one has stored the answer.
    expect(models.map(({ requests }) => requests.length)).toEqual([2, 0]);
  });
});

/** Returns a session service that stores answers to interrupts when the promise resolves. */
function withSlowAnswers(sessions: InMemorySessionService, gate: Promise<void>): SessionService {
  return new Proxy(sessions, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'appendEvent') return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      return async (p: Parameters<SessionService['appendEvent']>[0]) => {
        if (p.event.id.endsWith(':answer')) await gate;
        return target.appendEvent(p);
      };
    },
  });
}
