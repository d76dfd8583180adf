import { describe, expect, it } from 'vitest';
import * as servers from '../fixtures/chat-servers.ts';
import { readStream, readWhole, textsOf, thoughtsOf } from './read-answers.ts';

const { chunk } = servers;

describe('OpenAI', () => {
  it('is read completely: text, finish reason, all token counts, model and other members', () => {
    expect(readWhole(servers.openAi.whole, 'openai')).toEqual({
      content: { role: 'model', parts: [{ text: 'Hello! How can I assist you today?' }] },
      finishReason: 'STOP',
      usageMetadata: {
        promptTokenCount: 19,
        candidatesTokenCount: 10,
        totalTokenCount: 49,
        cachedContentTokenCount: 4,
        thoughtsTokenCount: 20,
      },
      modelVersion: 'gpt-5.4',
      customMetadata: { responseId: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT', service_tier: 'default' },
    });
  });

  it('streams calls in fragments, which are in the final response only', async () => {
    const { partials, final } = await readStream([...servers.openAi.calls, chunk({}, 'tool_calls')], 'openai');
    expect(partials).toEqual([]);
    expect(final.finishReason).toBe('STOP');
    expect(final.content?.parts).toEqual([
      { functionCall: { id: 'call_DdmO9pD3', name: 'get_weather', args: { location: 'Paris' } } },
      { functionCall: { id: 'call_Qa7Zb1', name: 'get_time', args: {} } },
    ]);
  });

  it('sends token counts in a separate chunk without choices', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const { final } = await readStream([
      chunk({ content: 'Hi' }),
      chunk({}, 'stop'),
      { ...chunk({}), choices: [], usage },
    ]);
    expect(final.usageMetadata).toEqual({ promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 });
  });

  it('returns a refusal as text, and as blocked', async () => {
    const { partials, final } = await readStream([
      chunk({ refusal: 'I can' }),
      chunk({ refusal: 'not.' }),
      chunk({}, 'stop'),
    ]);
    expect(textsOf(partials)).toBe('I cannot.');
    expect(final).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' });
    expect(final.content?.parts).toEqual([{ text: 'I cannot.' }]);
    const message = { role: 'assistant', content: null, refusal: 'I cannot.' };
    const { content, errorCode } = readWhole({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    expect({ content, errorCode }).toEqual({ content: final.content, errorCode: 'MODEL_BLOCKED' });
  });

  it('keeps the text before a blocked part, but no call', async () => {
    const incomplete = chunk({
      content: 'Well, ',
      tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }],
    });
    const { final } = await readStream([incomplete, chunk({}, 'content_filter')]);
    expect(final).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' });
    expect(final.content?.parts).toEqual([{ text: 'Well, ' }]);
  });

  it('sends log probabilities in several chunks, which are joined', async () => {
    const logprobsOf = (token: string) => ({ logprobs: { content: [{ token, logprob: -0.1 }], refusal: null } });
    const chunks = ['a', 'b'].map((content) => {
      const { choices, ...frame } = chunk({ content }, content === 'b' ? 'stop' : null);
      return { ...frame, choices: [{ ...(choices as object[])[0], ...logprobsOf(content) }] };
    });
    const { final } = await readStream(chunks);
    expect(final.customMetadata?.['choice']).toMatchObject({ logprobs: { content: [{ token: 'a' }, { token: 'b' }] } });
  });

  it('keeps tags in the text unchanged', async () => {
    const { final } = await readStream([chunk({ content: '<think>is a tag</think>' }, 'stop')], 'openai');
    expect(final.content?.parts).toEqual([{ text: '<think>is a tag</think>' }]);
  });
});

describe('Mistral', () => {
  it('sends content as a list of thoughts and texts; unknown types are kept', () => {
    const final = readWhole(servers.mistral.whole);
    expect(final.content?.parts).toEqual([{ text: 'John is twice as old.', thought: true }, { text: 'He is four.' }]);
    expect(final.usageMetadata?.cachedContentTokenCount).toBe(1008);
    expect(final.customMetadata).toMatchObject({
      message: { content: [{ type: 'reference', reference_ids: [0, 3] }] },
    });
  });

  it('streams the same list in chunks, with the same final response', async () => {
    const { partials, final } = await readStream(servers.mistral.stream);
    expect(thoughtsOf(partials)).toBe('John is twice as old.');
    expect(textsOf(partials)).toBe('He is four.');
    expect(final.content).toEqual(readWhole(servers.mistral.whole).content);
    expect(final.usageMetadata).toEqual(readWhole(servers.mistral.whole).usageMetadata);
  });

  it('sends calls without a type, complete in one chunk', async () => {
    const { final } = await readStream(servers.mistral.calls);
    expect(final.content?.parts).toEqual([
      { functionCall: { id: 'D681PevKs', name: 'get_weather', args: { city: 'Oslo' } } },
      { functionCall: { id: 'ffYkPpUFw', name: 'get_weather', args: { city: 'Rome' } } },
    ]);
  });
});

describe('DeepSeek', () => {
  it('sends thoughts in reasoning_content, and cached tokens under another name', async () => {
    const { partials, final } = await readStream(servers.deepSeek.stream, 'api.deepseek.com');
    expect(partials).toEqual([
      { text: 'Nine is ', thought: true },
      { text: 'larger.', thought: true },
      { text: '9.8' },
    ]);
    expect(final.content?.parts).toEqual([
      { text: 'Nine is larger.', thought: true, partMetadata: { provider: 'api.deepseek.com' } },
      { text: '9.8' },
    ]);
    expect(final.usageMetadata).toMatchObject({
      cachedContentTokenCount: 12,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 30,
    });
  });

  it('throws MODEL_OVERLOADED if it runs out of resources during an answer', async () => {
    const chunks = [chunk({ content: 'Well' }), chunk({}, 'insufficient_system_resource')];
    await expect(readStream(chunks)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', retryable: true });
  });
});

describe('OpenRouter', () => {
  it('streams reasoning in blocks with a signature, which are joined on the thought', async () => {
    const { partials, final } = await readStream(servers.openRouter.stream, 'openrouter.ai');
    expect(thoughtsOf(partials)).toBe('First look.');
    expect(final.content?.parts).toEqual([
      {
        text: 'First look.',
        thought: true,
        partMetadata: {
          provider: 'openrouter.ai',
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: 'First look.',
              format: 'anthropic-claude-v1',
              index: 0,
              signature: 'RXhhbXBsZQ==',
            },
          ],
        },
      },
      { functionCall: { id: 'toolu_01', name: 'find_rooms', args: {} } },
    ]);
    expect(final.customMetadata).toMatchObject({ provider: 'Anthropic', usage: { cost: 0.00014 } });
  });

  it('may send only an encrypted block, which is kept on a thought without text', () => {
    const final = readWhole(servers.openRouter.encrypted, 'openrouter.ai');
    expect(final.content?.parts?.[0]).toEqual({
      text: '',
      thought: true,
      partMetadata: {
        provider: 'openrouter.ai',
        reasoning_details: [expect.objectContaining({ type: 'reasoning.encrypted', data: 'gAAAAABo', id: 'rs_1' })],
      },
    });
    expect(final.customMetadata?.['choice']).toEqual({ native_finish_reason: 'completed' });
  });

  it('sends cited pages and images', () => {
    const final = readWhole(servers.openRouter.cited, 'openrouter.ai');
    expect(final.groundingMetadata).toEqual({
      groundingChunks: [{ web: { uri: 'https://example.com/a', title: 'Rain' } }],
      groundingSupports: [{ segment: { startIndex: 10, endIndex: 23 }, groundingChunkIndices: [0] }],
    });
    expect(final.citationMetadata).toEqual({
      citations: [{ startIndex: 10, endIndex: 23, uri: 'https://example.com/a', title: 'Rain' }],
    });
    expect(final.content?.parts).toEqual([
      { text: 'It rained [example.com].' },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    ]);
  });

  it('throws an error that is sent next to a choice', async () => {
    const failed = readStream(servers.openRouter.failedStream);
    await expect(failed).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    await expect(failed).rejects.toThrow(/Provider disconnected/);
  });
});

describe('Perplexity', () => {
  const groundingChunks = [
    { web: { uri: 'https://a.example/stars', title: 'Stars' } },
    { web: { uri: 'https://b.example/galaxy', title: 'Galaxy' } },
  ];

  it('sends an empty delta next to the message; its sources become grounding', () => {
    const final = readWhole(servers.perplexity.whole);
    expect(textsOf(final.content?.parts)).toBe('About 100 billion [1].');
    expect(final.groundingMetadata).toEqual({ groundingChunks });
    expect(final.customMetadata).toMatchObject({ search_results: [{ date: '2024-08-01' }, {}] });
  });

  it('streams a delta next to the message so far, and no text is repeated', async () => {
    const { partials, final } = await readStream(servers.perplexity.stream);
    expect(textsOf(partials)).toBe('About 100 billion [1].');
    expect(final).toEqual(readWhole(servers.perplexity.whole));
  });

  it('counts tokens in each chunk, so a count does not complete the answer', async () => {
    await expect(readStream(servers.perplexity.stream.slice(0, 2))).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });
});

describe('other servers', () => {
  it('Groq sends thoughts in reasoning, and tokens in x_groq', async () => {
    const { final } = await readStream(servers.groq.stream);
    expect(thoughtsOf(final.content?.parts)).toBe('Hm. ');
    expect(final.usageMetadata).toEqual({ promptTokenCount: 18, candidatesTokenCount: 5, totalTokenCount: 23 });
  });

  it('Moonshot counts tokens in the choice, and cached ones at the top level', async () => {
    const { final } = await readStream(servers.moonshot.stream);
    expect(final.usageMetadata).toMatchObject({ totalTokenCount: 32, cachedContentTokenCount: 10 });
  });

  it('Snowflake sends no finish reason: a token count at the end completes the answer', async () => {
    const { final } = await readStream(servers.snowflake.stream);
    expect(textsOf(final.content?.parts)).toBe('Six sides.');
    expect(final).not.toHaveProperty('finishReason');
    await expect(readStream(servers.snowflake.stream.slice(0, 2))).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('xAI counts thoughts separately from the answer', async () => {
    const { final } = await readStream([chunk({ content: 'a' }, 'stop', { usage: servers.xai.usage })]);
    expect(final.usageMetadata).toEqual({
      promptTokenCount: 32,
      candidatesTokenCount: 9,
      totalTokenCount: 135,
      cachedContentTokenCount: 6,
      thoughtsTokenCount: 94,
    });
  });

  it('Ollama sends complete calls in chunks of one index, and finishes with stop', async () => {
    const { final } = await readStream(servers.ollama.calls);
    expect(final.finishReason).toBe('STOP');
    expect(final.content?.parts?.map(({ functionCall }) => functionCall)).toEqual([
      { id: 'call_1', name: 'find_rooms', args: { city: 'Oslo' } },
      { id: 'call_2', name: 'find_rooms', args: { city: 'Rome' } },
    ]);
  });

  it('Ollama, vLLM and llama.cpp send thinking between tags; a later tag is text', async () => {
    const { partials, final } = await readStream([...servers.ollama.thinking, chunk({}, 'stop')]);
    expect(thoughtsOf(partials)).toBe('Let me see.\n');
    expect(textsOf(partials)).toBe('Nine <think> is a tag.');
    const content = '<think>\nLet me see.\n</think>\n\nNine <think> is a tag.';
    expect(final.content).toEqual(readWhole({ choices: [{ message: { content }, finish_reason: 'stop' }] }).content);
    expect(final.content?.parts).toEqual([
      { text: 'Let me see.\n', thought: true },
      { text: 'Nine <think> is a tag.' },
    ]);
  });

  it("Google's compatible endpoint signs calls in a separate member, kept on the part", async () => {
    const { final } = await readStream(servers.google.calls, 'generativelanguage.googleapis.com');
    expect(final.content?.parts).toEqual([
      {
        functionCall: { id: 'function-call-1', name: 'check_flight', args: { flight: 'AA100' } },
        partMetadata: {
          provider: 'generativelanguage.googleapis.com',
          call: { extra_content: { google: { thought_signature: 'CswB' } } },
        },
      },
    ]);
  });
});
