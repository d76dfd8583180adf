import { getFunctionResponses } from '@thole/core';
import type { CallbackContext, Content, JsonObject, LlmRequest } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { trimToolResults } from '../../src/plugins/trim-tool-results.ts';
import type { TrimToolResultsOptions } from '../../src/plugins/trim-tool-results.ts';
import { answersIn, createSetup, hello, rootOf, toolOf } from '../support/llm-setup.ts';

/** Returns the results of tools in a request, in order. */
const resultsIn = ({ contents }: LlmRequest): JsonObject[] =>
  contents.flatMap((content) => getFunctionResponses({ content }).map(({ response }) => response));

/** Calls the tool in each of three turns. Returns the requests after each call, and the stored answers. */
async function callThrice(
  result: unknown,
  options: TrimToolResultsOptions,
): Promise<{ results: JsonObject[][]; stored: JsonObject[] }> {
  const model = new ScriptedLlm(...[1, 2, 3].flatMap((n) => [calls('read', {}, `c${n}`), says(`a${n}`)]));
  const agent = rootOf(model, { tools: [toolOf('read', () => result)] });
  const setup = await createSetup(agent, { plugins: [trimToolResults(options)] });
  for (let n = 1; n <= 3; n++) await setup.runner.runToCompletion(hello);
  const { events } = await setup.stored();
  return {
    results: [1, 3, 5].map((n) => resultsIn(model.requests[n]!)),
    stored: answersIn(events).map(([, response]) => response),
  };
}

describe('trimToolResults', () => {
  const page = { text: 'x'.repeat(400) };
  const cut = {
    beginning: `{"text":"${'x'.repeat(41)}`,
    note: 'This older result had 411 bytes and was cut. Call read again if you need all of it.',
  };

  it('cuts large results of older invocations, and leaves a note', async () => {
    const { results, stored } = await callThrice(page, { maxBytes: 50 });
    expect(results).toEqual([[page], [cut, page], [cut, cut, page]]);
    expect(stored).toEqual([page, page, page]);
  });

  it('leaves the results of the newest olderThan invocations complete', async () => {
    const { results } = await callThrice(page, { olderThan: 2, maxBytes: 50 });
    expect(results).toEqual([[page], [page, page], [cut, page, page]]);
  });

  it('leaves small results, and results that are shorter than the note, complete', async () => {
    expect((await callThrice({ ok: true }, { maxBytes: 50 })).results[2]).toEqual([1, 2, 3].map(() => ({ ok: true })));
    const short = { text: 'x'.repeat(60) };
    expect((await callThrice(short, { maxBytes: 50 })).results[2]).toEqual([short, short, short]);
  });

  it('reads the history back to the oldest large result only', async () => {
    const plugin = trimToolResults({ maxBytes: 50 });
    const answer = (id: string, response: JsonObject): Content => ({
      role: 'user',
      parts: [{ functionResponse: { id, name: 'read', response } }],
    });
    const events = Array.from({ length: 1_000 }, (_, i) => ({ invocationId: `i${i}`, content: answer(`c${i}`, {}) }));
    let reads = 0;
    const history = { length: events.length, epoch: 0, at: (i: number) => (reads++, events[i]) };
    const callbackContext = { history, invocationId: 'i999' } as unknown as CallbackContext;
    const prompt = [answer('c900', {}), answer('c990', page), answer('c999', page)];
    const llmRequest = { contents: prompt } as unknown as LlmRequest;
    await plugin.beforeModelCallback!({ callbackContext, llmRequest });
    expect(resultsIn(llmRequest)).toEqual([{}, cut, page]);
    expect(reads).toBeLessThan(20);
  });

  it('never cuts within a character', async () => {
    const { results } = await callThrice({ text: '部'.repeat(200) }, { maxBytes: 13 });
    expect(results[2]![0]!['beginning']).toBe('{"text":"部');
  });

  it('leaves only the note with maxBytes 0', async () => {
    const { results } = await callThrice(page, { maxBytes: 0 });
    expect(results[2]![0]).toEqual({ note: cut.note });
  });

  it('leaves out the files of a large older result', async () => {
    const file = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(400) } };
    const model = new ScriptedLlm(calls('draw', {}, 'c1'), says('a1'), says('a2'));
    const { stored, runner } = await createSetup(rootOf(model, { tools: [toolOf('draw', () => 'drawn')] }), {
      plugins: [
        {
          name: 'adds a file',
          onEventCallback: ({ event }) => {
            const [answer] = getFunctionResponses(event);
            if (!answer) return undefined;
            const functionResponse = { ...answer, parts: [file] };
            return { ...event, content: { role: 'user' as const, parts: [{ functionResponse }] } };
          },
        },
        trimToolResults({ maxBytes: 100 }),
      ],
    });
    for (let n = 1; n <= 2; n++) await runner.runToCompletion(hello);
    const [old] = model.requests[2]!.contents.flatMap((content) => getFunctionResponses({ content }));
    expect(old!.parts).toBeUndefined();
    expect(old!.response).toEqual({
      result: 'drawn',
      note: 'Files of this older result were left out. Call draw again if you need all of it.',
    });
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('image/png');
    expect(JSON.stringify((await stored()).events)).toContain('image/png');
  });

  it.each([{ maxBytes: -1 }, { maxBytes: 1, olderThan: 0 }, {} as never, { maxBytes: 1, bytes: 1 } as never])(
    'throws INVALID_INPUT for %o',
    (options: TrimToolResultsOptions) => {
      expect(() => trimToolResults(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    },
  );
});
