import { textOf, TholeError } from '@thole/core';
import type { CallbackContext } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const saveToMemory = (context: CallbackContext): Promise<void> => context.addSessionToMemory();

// F268, with F110.
describe('example: saving the session to memory after each turn', () => {
  it('remembers question and answer once when the run has ended (contracts 20, 31)', async () => {
    const notes: unknown[] = [];
    const agent = new LlmAgent({
      name: 'scribe',
      model: new ScriptedLlm(says('Noted: oat milk.'), says('Noted: no sugar.')),
      outputKey: 'last_note',
      afterAgentCallback: [({ state }) => void notes.push(state.get('last_note')), saveToMemory],
    });
    const memoryService = new InMemoryMemoryService();
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName: 'cafe', agent, sessionService, memoryService, autoCreateSession: true });
    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'I take oat milk.' });
    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'And no sugar.' });

    const { memories } = await memoryService.listMemories({ appName: 'cafe', userId: 'ann' });
    const turns = memories.map(({ author, content }) => `${author}: ${textOf(content)}`);
    expect(turns).toEqual([
      'user: I take oat milk.',
      'scribe: Noted: oat milk.',
      'user: And no sugar.',
      'scribe: Noted: no sugar.',
    ]);
    expect(notes, 'the callback reads the value of outputKey').toEqual(['Noted: oat milk.', 'Noted: no sugar.']);
  });

  it('fails without a memory service, and stores the error code (contracts 21, 22, 35)', async () => {
    const agent = new LlmAgent({
      name: 'scribe',
      model: new ScriptedLlm(says('Noted.')),
      afterAgentCallback: saveToMemory,
    });
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName: 'cafe', agent, sessionService, autoCreateSession: true });
    const run = runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'I take oat milk.' });
    const error = await run.catch((thrown: unknown) => thrown);
    expect(TholeError.is(error, 'CALLBACK_FAILED')).toBe(true);
    expect(TholeError.is((error as TholeError).cause, 'MEMORY_NOT_CONFIGURED')).toBe(true);
    const stored = await sessionService.getSession({ appName: 'cafe', userId: 'ann', sessionId: 's' });
    expect(stored?.events.map((event) => event.errorCode ?? textOf(event.content))).toEqual([
      'I take oat milk.',
      'Noted.',
      'CALLBACK_FAILED',
    ]);
  });
});
