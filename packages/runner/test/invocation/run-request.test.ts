import { ScriptedLlm, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { RunRequest } from '../../src/invocation/run-request.ts';
import { createSetup, hello, outcomeOf, ref, rootOf } from '../support/llm-setup.ts';
import { expectError, expectNextTurn } from '../support/usable-session.ts';

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

describe('Runner.runAsync with an invalid request', () => {
  it.each<[string, Partial<RunRequest>, string]>([
    ['an empty list of parts', { newMessage: { role: 'user', parts: [] } }, 'newMessage.parts'],
    ['a message without parts', { newMessage: { role: 'user' } }, 'newMessage.parts'],
    ['a part of an unknown kind', { newMessage: { parts: [{ words: 'x' }] } as never }, 'newMessage.parts[0]'],
    ['a text that is a number', { newMessage: { parts: [{ text: 7 }] } as never }, 'newMessage.parts[0].text'],
    ['an unknown role', { newMessage: { role: 'system', parts: [{ text: 'x' }] } as never }, 'newMessage.role'],
    ['a file without data', { newMessage: { parts: [{ inlineData: {} }] } as never }, 'newMessage.parts[0].inlineData'],
    ['an array as message', { newMessage: ['x'] as never }, 'newMessage'],
    ['an empty text', { newMessage: '' }, 'newMessage'],
    ['a number as message', { newMessage: 7 as never }, 'newMessage'],
    ['a message of the model', { newMessage: { role: 'model', parts: [{ text: 'x' }] } }, 'newMessage.role'],
    ['an unknown option of runConfig', { runConfig: { speed: 1 } as never }, 'speed'],
    ['metadata of the runtime', { runConfig: { customMetadata: { step: {} } } }, '"step"'],
    ['metadata that ADK reserves', { runConfig: { customMetadata: { __adk_internal_x: 1 } } }, '"__adk_internal_x"'],
    ['a signal that is not an AbortSignal', { abortSignal: {} as never }, 'abortSignal must be an AbortSignal'],
    ['an array as state delta', { stateDelta: [] as never }, 'stateDelta must be an object'],
    ['a text as runConfig', { runConfig: 'fast' as never }, 'runConfig must be an object'],
    ['metadata that is a list', { runConfig: { customMetadata: [] as never } }, 'customMetadata must be an object'],
    ['limits that are a number', { runConfig: { limits: 5 as never } }, 'runConfig.limits must be an object'],
    ['a cost limit of 0', { runConfig: { limits: { cost: 0 } } }, 'runConfig.limits.cost must be a number > 0'],
    ['a time limit of 0', { runConfig: { timeLimitMs: 0 } }, 'runConfig.timeLimitMs must be'],
    ['an empty userId', { userId: '' }, 'userId'],
    ['a missing message', { newMessage: undefined as never }, 'newMessage'],
    ['a cyclic value in the state delta', { stateDelta: { a: cyclic } as never }, 'stateDelta.a.self'],
    [
      'a cyclic value in a part',
      { newMessage: { parts: [{ text: 'x', more: cyclic }] } as never },
      'newMessage.parts[0].more',
    ],
  ])('throws INVALID_INPUT for %s and stores nothing (contract 22)', async (_, request, messagePart) => {
    const setup = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(setup.runner.runAsync({ ...hello, ...request } as RunRequest));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(messagePart) });
    expect((await setup.stored()).events).toEqual([]);
    await expectNextTurn(setup);
  });

  it('throws VALUE_TOO_LARGE for large state and stores no closing record (contract 22)', async () => {
    const setup = await createSetup(rootOf(new ScriptedLlm()));
    const { events, error } = await outcomeOf(
      setup.runner.runAsync({ ...hello, stateDelta: { a: 'x'.repeat(2 ** 20) } }),
    );
    expect([events, error]).toMatchObject([[], { code: 'VALUE_TOO_LARGE' }]);
    expect((await setup.stored()).events).toEqual([]);
    await expectNextTurn(setup);
  });

  it('throws SESSION_NOT_FOUND for an unknown session and creates none (contract 22)', async () => {
    const setup = await createSetup(rootOf(new ScriptedLlm()));
    await expectError(setup, { sessionId: 'nowhere' }, { code: 'SESSION_NOT_FOUND', messagePart: 'nowhere' });
    expect(await setup.sessions.getSession({ ...ref, sessionId: 'nowhere' })).toBeUndefined();
  });

  it('throws SESSION_NOT_FOUND for a session of another user (contract 1)', async () => {
    const setup = await createSetup(rootOf(new ScriptedLlm()));
    await expectError(setup, { userId: 'bob' }, { code: 'SESSION_NOT_FOUND', messagePart: 's' });
  });

  it('sets the role of a message without one to user (F025)', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('x'))));
    await runner.runToCompletion({ ...hello, newMessage: { parts: [{ text: 'hi' }] } });
    expect((await stored()).events[0]!.content).toEqual({ role: 'user', parts: [{ text: 'hi' }] });
  });
});
