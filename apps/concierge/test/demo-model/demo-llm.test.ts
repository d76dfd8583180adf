import { textOf } from '@thole/core';
import type { LlmRequest, LlmResponse } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { DemoLlm } from '../../demo-model/demo-llm.ts';

const requestFor = (text: string, ...tools: string[]): LlmRequest => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  config: { tools: [{ functionDeclarations: tools.map((name) => ({ name })) }] },
});

function generate(request: LlmRequest, p: { stream: boolean; signal?: AbortSignal }): Promise<LlmResponse[]> {
  const { stream, signal = new AbortController().signal } = p;
  return Array.fromAsync(
    new DemoLlm({ runtime: new FixedRuntime() }).generateContentAsync(request, { stream, signal }),
  );
}

describe('DemoLlm', () => {
  it('streams single words, then a final response with the whole text', async () => {
    const responses = await generate(requestFor('Hello!'), { stream: true });
    const final = responses.pop()!;
    expect(responses.length).toBeGreaterThan(5);
    expect(responses.every(({ partial }) => partial)).toBe(true);
    expect(responses.map(({ content }) => textOf(content)).join('')).toBe(textOf(final.content));
    expect(final).toMatchObject({ finishReason: 'STOP' });
    expect(final.partial).toBeUndefined();
  });

  it('returns only the final response without streaming, and streams no partial calls', async () => {
    expect(await generate(requestFor('Hello!'), { stream: false })).toHaveLength(1);
    const [call, ...more] = await generate(requestFor('Book me a room.', 'load_memory'), { stream: true });
    expect(more).toEqual([]);
    expect(call!.content?.parts?.[0]?.functionCall?.name).toBe('load_memory');
  });

  it('stops when its signal is aborted', async () => {
    const reason = new Error('Enough.');
    await expect(generate(requestFor('Hello!'), { stream: true, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });

  it('pauses between words on request, and an abort ends the pause', async () => {
    const runtime = new FixedRuntime();
    const controller = new AbortController();
    const words = new DemoLlm({ runtime, wordDelayMs: 20 }).generateContentAsync(requestFor('Hello!'), {
      stream: true,
      signal: controller.signal,
    });
    expect(textOf((await words.next()).value?.content)).toBe('Welcome!');
    const second = words.next();
    await runtime.advance(20);
    expect(textOf((await second).value?.content)).toBe(' I');
    const third = words.next();
    controller.abort(new Error('Enough.'));
    await expect(third).rejects.toThrow('Enough.');
  });
});
