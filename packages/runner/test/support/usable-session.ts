import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Event } from '@thole/core';
import { says, ScriptedLlm } from '@thole/testing';
import { expect } from 'vitest';
import type { RunRequest } from '../../src/invocation/run-request.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, outcomeOf, ref, rootOf } from './llm-setup.ts';
import type { LlmTestSetup } from './llm-setup.ts';

/** Expects that the run ends with this error, and that the session is consistent and usable afterwards. Returns the events. */
export async function expectError(
  setup: LlmTestSetup,
  request: Partial<RunRequest>,
  expected: { code: string; messagePart: string },
): Promise<Event[]> {
  const { events, error } = await outcomeOf(setup.runner.runAsync({ ...hello, ...request } as RunRequest));
  expect(error).toMatchObject({ code: expected.code, message: expect.stringContaining(expected.messagePart) });
  await expectConsistentSession(setup);
  await expectNextTurn(setup);
  return events;
}

/** Expects events without gaps that are JSON, in the only session of the user. */
export async function expectConsistentSession({ sessions, stored }: LlmTestSetup): Promise<void> {
  const { events, lastSeq } = await stored();
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: events.length }, (_, i) => i + 1));
  expect(lastSeq).toBe(events.length);
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  expect((await sessions.listSessions({ appName: ref.appName, userId: ref.userId })).total).toBe(1);
}

/** Expects that a new runner can continue the session, and that its model gets each call together with its answer. */
export async function expectNextTurn({ sessions, artifacts, runtime, stored }: LlmTestSetup): Promise<void> {
  const model = new ScriptedLlm(says('fine'));
  const agent = rootOf(model);
  const runner = new Runner({ appName: 'app', agent, sessionService: sessions, artifactService: artifacts, runtime });
  expect((await runner.runToCompletion({ ...hello, newMessage: 'and now?' })).text).toBe('fine');
  const { contents } = model.requests[0]!;
  contents.forEach((content, i) => {
    const called = getFunctionCalls({ content }).map(({ id }) => id);
    const answered = contents[i + 1] ? getFunctionResponses({ content: contents[i + 1] }).map(({ id }) => id) : [];
    if (called.length > 0) expect(answered).toEqual(called);
  });
  expect(contents.at(-1)!.parts).toEqual([{ text: 'and now?' }]);
  expect((await stored()).events.at(-1)!.content?.parts).toEqual([{ text: 'fine' }]);
}
