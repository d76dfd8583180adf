import { silentLogger, textOf } from '@thole/core';
import type { EventInit, Llm, LlmResponse, Part, SummaryRequest } from '@thole/core';
import { fails, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmSummarizer } from '../../src/compaction/llm-summarizer.ts';
import type { LlmSummarizerOptions } from '../../src/compaction/llm-summarizer.ts';
import { agent, historyOf, user } from '../contents/history-of.ts';

const requestOf = (events: EventInit[], previousSummary?: string): SummaryRequest => ({
  events: historyOf(...events),
  previousSummary,
  signal: new AbortController().signal,
  logger: silentLogger,
});
/** Returns the text that the model received in its n-th call. */
const promptOf = (model: ScriptedLlm, n = 0): string => textOf(model.requests[n]!.contents[0]);
const parts = (...list: Part[]): EventInit => ({ author: 'a', content: { role: 'model', parts: list } });

describe('LlmSummarizer', () => {
  it('requests a summary of lines with author and text, without thoughts', async () => {
    const model = new ScriptedLlm({ ...says(' Short. '), usageMetadata: { totalTokenCount: 9 } });
    const events = [user('I am Ada.'), parts({ text: 'hidden', thought: true }, { text: 'Hello, Ada.' })];
    const summary = await new LlmSummarizer({ model }).summarize(requestOf(events, 'Nothing yet.'));
    expect(summary).toEqual({
      content: { role: 'model', parts: [{ text: 'Short.' }] },
      usageMetadata: { totalTokenCount: 9 },
    });
    expect(promptOf(model)).toContain('Earlier summary: Nothing yet.\n\nuser: I am Ada.\na: Hello, Ada.\n');
    expect(promptOf(model)).not.toContain('hidden');
  });

  it('shows calls, results, code and files, and cuts them to maxToolChars with a note', async () => {
    const model = new ScriptedLlm(says('s'));
    const events = [
      parts({ functionCall: { id: 'c', name: 'find', args: { q: 'x'.repeat(50) } } }),
      parts({ functionResponse: { id: 'c', name: 'find', response: { found: 3 } } }),
      parts({ executableCode: { code: 'print(1)' } }, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }),
      parts({ inlineData: { mimeType: 'image/png', data: 'AAAA', displayName: 'map.png' } }),
      { author: 'user', inputTranscription: { text: 'spoken', finished: true } },
    ];
    await new LlmSummarizer({ model, maxToolChars: 20, prompt: '{conversation_history}' }).summarize(requestOf(events));
    expect(promptOf(model).split('\n')).toEqual([
      `a called find: {"q":"${'x'.repeat(14)} [cut: 38 more characters]`,
      'a got from find: {"found":3}',
      'a ran code: print(1)',
      'a got from code: 1',
      'a: [file map.png of type image/png]',
      'user: spoken',
    ]);
  });

  it('summarizes a long history in several calls, each with the summary so far', async () => {
    const model = new ScriptedLlm(
      { ...says('one'), usageMetadata: { totalTokenCount: 1 } },
      { ...says('two'), usageMetadata: { totalTokenCount: 2 } },
    );
    const options = { model, maxHistoryChars: 30, prompt: '{conversation_history}' };
    const events = [user('a'.repeat(20)), agent('a', 'b'.repeat(20))];
    const { content, usageMetadata } = await new LlmSummarizer(options).summarize(requestOf(events));
    expect(model.requests.map((_, n) => promptOf(model, n))).toEqual([
      `user: ${'a'.repeat(20)}`,
      `Earlier summary: one\n\na: ${'b'.repeat(20)}`,
    ]);
    expect([textOf(content), usageMetadata]).toEqual(['two', { totalTokenCount: 3 }]);
  });

  it('splits one long message and loses nothing of it', async () => {
    const model = new ScriptedLlm(says('1'), says('2'), says('3'));
    const text = 'abcdefghijklmnopqrst';
    await new LlmSummarizer({ model, maxHistoryChars: 10, prompt: '{conversation_history}' }).summarize(
      requestOf([user(text)]),
    );
    const seen = model.requests.map((_, n) => promptOf(model, n).replace(/^Earlier summary: \d\n\n/, '')).join('');
    expect(seen).toBe(`user: ${text}`);
  });

  it('inserts a history with $ and with the name of the placeholder unchanged', async () => {
    const model = new ScriptedLlm(says('s'));
    await new LlmSummarizer({ model, prompt: 'Summarize: {conversation_history}.' }).summarize(
      requestOf([user("It costs $& or $1, {conversation_history} $'.")]),
    );
    expect(promptOf(model)).toBe("Summarize: user: It costs $& or $1, {conversation_history} $'..");
  });

  it('sends generateContentConfig', async () => {
    const model = new ScriptedLlm(says('s'));
    const generateContentConfig = { maxOutputTokens: 300, temperature: 0 };
    await new LlmSummarizer({ model, generateContentConfig }).summarize(requestOf([user('hi')]));
    expect(model.requests[0]!.config).toEqual(generateContentConfig);
  });

  it.each<[string, LlmResponse]>([
    ['empty', says('  ')],
    ['cut off', { ...says('half a'), finishReason: 'MAX_TOKENS' }],
    ['blocked', { ...says('no'), finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' }],
    ['only a thought', { content: { role: 'model', parts: [{ text: 'hm', thought: true }] } }],
  ])('throws COMPACTION_FAILED for an answer that is %s (contract 26)', async (_, response) => {
    const summarizer = new LlmSummarizer({ model: new ScriptedLlm(response) });
    await expect(summarizer.summarize(requestOf([user('hi')]))).rejects.toMatchObject({ code: 'COMPACTION_FAILED' });
  });

  it('throws the error of the model', async () => {
    const summarizer = new LlmSummarizer({ model: new ScriptedLlm(fails('MODEL_AUTH')) });
    await expect(summarizer.summarize(requestOf([user('hi')]))).rejects.toMatchObject({ code: 'MODEL_AUTH' });
  });

  it.each<[string, Partial<LlmSummarizerOptions>]>([
    ['model', { model: {} as Llm }],
    ['must contain {conversation_history}', { prompt: 'Summarize.' }],
    ['maxToolChars', { maxToolChars: 0 }],
    ['maxHistoryChars', { maxHistoryChars: -1 }],
    ['promptt', { promptt: 'x' } as Partial<LlmSummarizerOptions>],
  ])('throws INVALID_INPUT for an invalid option: %s', (message, options) => {
    expect(() => new LlmSummarizer({ model: new ScriptedLlm(), ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});
