import { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { responseTo } from './response-to.ts';
import { blockedPrompt, codeRun, grounded, parallelCalls, plainText } from './fixtures/answers.ts';

describe('AnswerBuilder', () => {
  it('returns text, reason, version and the six token counts', () => {
    expect(responseTo(plainText)).toMatchObject({
      content: { role: 'model', parts: [{ text: 'Breakfast is from seven to ten.' }] },
      finishReason: 'STOP',
      modelVersion: 'gemini-2.5-flash',
      usageMetadata: {
        promptTokenCount: 24,
        candidatesTokenCount: 9,
        totalTokenCount: 24 + 9 + 30 + 8,
        cachedContentTokenCount: 8,
        thoughtsTokenCount: 30,
        toolUsePromptTokenCount: 8,
      },
    });
  });

  it('keeps unknown members in customMetadata and adds no metadata to plain text', () => {
    const response = responseTo({ ...plainText, somethingNew: { a: 1 } });
    expect(response.customMetadata).toEqual({
      gemini: {
        responseId: 'mAitaLmkHPPlz7IPvtfUqQ4',
        somethingNew: { a: 1 },
        candidate: {
          safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
          avgLogprobs: -0.12,
        },
        usageMetadata: { promptTokensDetails: [{ modality: 'TEXT', tokenCount: 24 }] },
      },
    });
    expect(response.content?.parts).toEqual([{ text: 'Breakfast is from seven to ten.' }]);
  });

  it('keeps signatures and Gemini’s ids unchanged and creates none', () => {
    expect(responseTo(parallelCalls).content?.parts).toEqual([
      { text: 'Two cities, two calls.', thought: true, partMetadata: { provider: 'gemini' } },
      {
        functionCall: { id: 'ab12cd34', name: 'get_current_temperature', args: { location: 'Paris' } },
        thoughtSignature: 'EsEBCr4BAdHtim-_9kXh0w==',
        partMetadata: { provider: 'gemini', id: 'ab12cd34' },
      },
      {
        functionCall: { id: 'ef56gh78', name: 'get_current_temperature', args: { location: 'London' } },
        partMetadata: { provider: 'gemini', id: 'ef56gh78' },
      },
    ]);
    const withoutId = responseTo(answerOf([{ functionCall: { name: 'list_guests' } }]));
    expect(withoutId.content?.parts).toEqual([{ functionCall: { name: 'list_guests', args: {} } }]);
  });

  it('joins adjacent texts of a kind, but keeps a part with a signature separate', () => {
    const parts = [
      { text: 'a', thought: true },
      { text: 'b', thought: true },
      { text: 'c' },
      { text: 'd' },
      { text: 'e', thoughtSignature: 'c2ln' },
      { text: '' },
      { text: 'f' },
      { text: '', thoughtSignature: 'c2lnMg' },
    ];
    const own = { partMetadata: { provider: 'gemini' } };
    expect(responseTo(answerOf(parts)).content?.parts).toEqual([
      { text: 'ab', thought: true, ...own },
      { text: 'cd' },
      { text: 'e', thoughtSignature: 'c2ln', ...own },
      { text: 'f' },
      { text: '', thoughtSignature: 'c2lnMg', ...own },
    ]);
  });

  it('keeps unknown parts and unknown members of known ones', () => {
    const parts = [
      { toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { q: 'x' } }, thoughtSignature: 'c2ln' },
      { somethingNew: [1] },
      { functionCall: { name: 'f', args: {}, mood: 'glad' }, partMetadata: { file: 'a.txt' } },
      'not a part',
      null,
      {},
    ];
    expect(responseTo(answerOf(parts)).content?.parts).toEqual([
      { ...(parts[0] as object), partMetadata: { provider: 'gemini' } },
      { somethingNew: [1], partMetadata: { provider: 'gemini' } },
      {
        functionCall: { name: 'f', args: {}, mood: 'glad' },
        partMetadata: { provider: 'gemini', partMetadata: { file: 'a.txt' } },
      },
    ]);
  });

  it('ignores members of parts that are null, which some gateways send for missing members', () => {
    const parts = [
      { text: 'One', thought: null, inlineData: null },
      { text: null },
      { text: null, functionCall: { name: 'book', args: {} } },
    ];
    expect(responseTo({ candidates: [{ content: { parts } }] }).content?.parts).toEqual([
      { text: 'One' },
      { functionCall: { name: 'book', args: {} } },
    ]);
  });

  it('keeps code that Gemini ran, grounding and citations', () => {
    expect(responseTo(codeRun).content?.parts).toMatchObject([
      { text: 'I add them up.' },
      { executableCode: { language: 'PYTHON', code: 'print(2 + 3)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '5\n' } },
      { text: 'It is five.' },
    ]);
    const { groundingMetadata, citationMetadata, customMetadata } = responseTo(grounded);
    expect(groundingMetadata).toMatchObject({ webSearchQueries: ['who won the final'] });
    expect(citationMetadata).toEqual({
      citations: [{ startIndex: 0, endIndex: 20, uri: 'https://example.com/final', license: '' }],
    });
    expect(customMetadata).toMatchObject({ gemini: { candidate: { urlContextMetadata: { urlMetadata: [] } } } });
  });

  it('returns a final response with the reason for a blocked prompt', () => {
    const response = responseTo(blockedPrompt);
    expect(response).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' });
    expect(response.errorMessage).toBe('Gemini blocked the prompt (SAFETY).');
    expect(response.content).toBeUndefined();
    expect(response.usageMetadata).toEqual({ promptTokenCount: 9, totalTokenCount: 9 });
  });

  it.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII'])(
    'returns MODEL_BLOCKED and parts without calls for an answer that ended with %s',
    (finishReason) => {
      const received = [{ text: 'Well,' }, { functionCall: { name: 'look', args: {} } }];
      const response = responseTo(answerOf(received, { finishReason, finishMessage: 'a filter' }));
      expect(response).toMatchObject({
        content: { parts: [{ text: 'Well,' }] },
        finishReason,
        errorCode: 'MODEL_BLOCKED',
        errorMessage: `Gemini blocked its answer (${finishReason}): a filter`,
      });
    },
  );

  it.each(['MAX_TOKENS', 'OTHER', 'FINISH_REASON_UNSPECIFIED'])(
    'returns the reason %s of an empty answer unchanged and without an error',
    (finishReason) => {
      const response = responseTo(answerOf(undefined, { finishReason }));
      expect(response).toEqual({ finishReason });
    },
  );

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'LANGUAGE', 'AN_UNKNOWN_REASON'])(
    'returns the reason %s as errorCode of an answer without content',
    (finishReason) => {
      const error = {
        finishReason,
        errorCode: finishReason,
        errorMessage: `Gemini ended its answer without content (${finishReason}).`,
      };
      expect(responseTo(answerOf(undefined, { finishReason }))).toEqual(error);
      const thoughts = [{ text: 'hm', thought: true }];
      expect(responseTo(answerOf(thoughts, { finishReason }))).toMatchObject(error);
      const withText = responseTo(answerOf([{ text: 'Well,' }], { finishReason }));
      expect(withText).toEqual({ content: { role: 'model', parts: [{ text: 'Well,' }] }, finishReason });
    },
  );

  it('keeps the arguments of a malformed call out of the error message', () => {
    const members = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(book(card=4711))' };
    const response = responseTo(answerOf(undefined, members));
    expect(response.errorMessage).not.toContain('4711');
    expect(response.customMetadata).toEqual({ gemini: { candidate: { finishMessage: 'print(book(card=4711))' } } });
  });

  it('returns arguments that are not an object as brokenArgs, and {} without arguments', () => {
    const parts = [
      { functionCall: { name: 'a', args: '{"city":' } },
      { functionCall: { name: 'b', args: [1] } },
      { functionCall: { name: 'c', args: null } },
      { functionCall: { name: 'd', args: '' } },
    ];
    expect(responseTo(answerOf(parts)).content?.parts?.map(({ functionCall }) => functionCall)).toEqual([
      { name: 'a', args: {}, brokenArgs: '{"city":' },
      { name: 'b', args: {}, brokenArgs: '[1]' },
      { name: 'c', args: {} },
      { name: 'd', args: {} },
    ]);
  });

  it('returns no parts for an empty answer, and never throws for an unusual one', () => {
    for (const answer of [
      {},
      { candidates: [] },
      { candidates: [null] },
      { candidates: 'x' },
      { candidates: [{ content: 1 }] },
    ])
      expect(responseTo(answer)).toEqual({});
    expect(responseTo(answerOf(undefined, { finishReason: 'STOP' }))).toEqual({ finishReason: 'STOP' });
  });

  it('throws the error of an answer', () => {
    const error = thrownBy(() => responseTo({ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } }));
    expect(error).toMatchObject({ code: 'MODEL_OVERLOADED', status: 503, retryable: true });
    expect(thrownBy(() => responseTo('hello'))).toMatchObject({ code: 'MODEL_PROTOCOL', retryable: false });
  });
});

function answerOf(parts: unknown, members: object = {}): unknown {
  return { candidates: [{ ...(parts !== undefined && { content: { role: 'model', parts } }), ...members }] };
}

function thrownBy(body: () => unknown): TholeError | undefined {
  try {
    body();
    return undefined;
  } catch (error) {
    return TholeError.is(error) ? error : undefined;
  }
}
