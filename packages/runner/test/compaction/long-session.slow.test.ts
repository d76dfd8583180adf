import { textOf } from '@thole/core';
import type { LlmRequest, Summarizer } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { ref } from '../support/setup.ts';

describe('compaction of a long session', () => {
  it('bounds the prompt of a session with 5,000 events (contract 26)', async () => {
    // A summary of at most 500 characters, as a model with a limit writes it.
    const short: Summarizer = {
      summarize: async ({ events, previousSummary = '' }) => {
        const text = `${previousSummary} ${events.map(({ content }) => textOf(content)).join(' ')}`;
        return { content: { role: 'model', parts: [{ text: text.slice(-500) }] } };
      },
    };
    const lengths: number[] = [];
    const model = new ScriptedLlm(
      ...Array.from({ length: 2_400 }, (_, i) => (request: LlmRequest) => {
        lengths.push(JSON.stringify(request.contents).length);
        return says(`a${i}`);
      }),
    );
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const rootAgent = new LlmAgent({ name: 'root', model });
    const compaction = { interval: 10, overlap: 1, summarizer: short };
    const runner = new Runner({ app: { name: 'app', rootAgent, compaction }, sessionService, runtime });
    for (let n = 1; n <= 2_400; n++) {
      await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: `q${n}` });
      await runner.idle();
    }
    expect((await sessionService.getSession(ref))!.events.length).toBeGreaterThan(5_000);
    expect(Math.max(...lengths)).toBeLessThan(3_000);
  });
});
