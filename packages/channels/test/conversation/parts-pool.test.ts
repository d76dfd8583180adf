import { says, FixedRuntime, ScriptedLlm } from '@thole/testing';
import { LlmAgent, Runner } from '@thole/runner';
import { describe, expect, it } from 'vitest';
import type { ConversationParts } from '../../src/index.ts';
import { appName, newStorage, startAssistant } from '../support/assistant.ts';

describe('PartsPool', () => {
  it('closes shared parts once, after the last conversation has replaced them', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const llm = new ScriptedLlm(says('1'), says('2'), says('3'), says('4'));
    const log: string[] = [];
    let version = 0;
    const shared = new Map<number, ConversationParts>();
    const createParts = (): ConversationParts => {
      const current = version;
      let parts = shared.get(current);
      if (!parts) {
        const agent = new LlmAgent({ name: 'companion', model: llm });
        const options = { appName, agent, sessionService: storage.sessions, runtime, autoCreateSession: true };
        const runner = new Runner({ ...options, concurrency: { policy: 'join' } });
        const close = async (): Promise<void> => {
          log.push(`close ${current}`);
          await runner.close();
        };
        shared.set(current, (parts = { runner, close }));
      }
      return parts;
    };
    const { chat, dispatcher, settle } = await startAssistant({ llm, runtime, storage, options: { createParts } });
    await chat.receive('a1', 'hello');
    await chat.receive('b1', 'hello');
    await settle();
    version = 1;
    dispatcher.reload();
    await chat.receive('a1', 'again');
    await settle();
    expect(log).toEqual([]);
    await chat.receive('b1', 'again');
    await settle();
    expect(log).toEqual(['close 0']);
    await dispatcher.close();
    expect(log).toEqual(['close 0', 'close 1']);
    expect(chat.texts).toHaveLength(4);
  });
});
