import { join } from 'node:path';
import { TholeError } from '@thole/core';
import type { Embedder, EnvVars } from '@thole/core';
import { FixedRuntime, HashEmbedder } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config/parse-config.ts';
import { chooseModels } from '../../src/models/choose-models.ts';
import { openMemory } from '../../src/models/open-memory.ts';
import { folderForTest } from '../folder-for-test.ts';

const keys = { GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' };

async function namesOf(text: string, env: EnvVars) {
  const models = await chooseModels(parseConfig(text), { env, runtime: new FixedRuntime() });
  return [models.agent.model, models.memory?.model, models.embedder?.model];
}

describe('chooseModels', () => {
  it.each([
    ['no key', '', {}, ['demo', undefined, undefined]],
    ['all keys', '', keys, ['gemini-3.8-flash', 'gemini-3.8-flash', 'gemini-embedding-2']],
    ['a key of OpenAI', '', { OPENAI_API_KEY: 'o' }, ['gpt-5.5', 'gpt-5.5', undefined]],
    ['a key of Anthropic', '', { ANTHROPIC_API_KEY: 'a' }, ['claude-sonnet-5-5', 'claude-sonnet-5-5', undefined]],
    [
      'three providers',
      'model: anthropic/claude-x\nmemory: { llm: openai/gpt-x, embedder: gemini }',
      keys,
      ['claude-x', 'gpt-x', 'gemini-embedding-2'],
    ],
    [
      'an embedder by name',
      'memory: { embedder: openai/text-embedding-3-large }',
      keys,
      ['gemini-3.8-flash', 'gemini-3.8-flash', 'text-embedding-3-large'],
    ],
    ['no embedder', 'memory: { embedder: none }', keys, ['gemini-3.8-flash', 'gemini-3.8-flash', undefined]],
    ['a model of memory next to the demo model', 'memory: { llm: openai }', {}, 'OPENAI_API_KEY'],
    ['a model without its key', 'model: gemini/gemini-x', {}, 'GEMINI_API_KEY'],
  ] as const)('chooses agent, model of memory and embedder with %s', async (_, text, env, expected) => {
    if (typeof expected !== 'string') return expect(await namesOf(text, env)).toEqual(expected);
    const error: unknown = await namesOf(text, env).catch((thrown: unknown) => thrown);
    expect(TholeError.is(error, 'INVALID_INPUT') && error.message).toContain(expected);
  });
});

describe('openMemory', () => {
  const ann = { appName: 'companion', userId: 'ann' };

  it('keeps the same entries with and without an embedder, with vectors in the data folder', async () => {
    const dbUrl = `sqlite:///${join(folderForTest(), 'companion.db')}`;
    const runtime = new FixedRuntime();
    const open = (embedder: Embedder | undefined) => {
      const memory = openMemory(parseConfig('').memory, { dbUrl, embedder, env: {}, runtime });
      onTestFinished(() => memory.close());
      return memory.service;
    };
    await open(undefined).addMemory!({ ...ann, memory: 'The passport is in the drawer.' });
    const withVectors = open(new HashEmbedder());
    await withVectors.addMemory!({ ...ann, memory: 'Zebras sleep.' });
    for (const [query, text] of [
      ['passport', 'The passport is in the drawer.'],
      ['zebras', 'Zebras sleep.'],
    ]) {
      const { memories, vectorsMissing } = await withVectors.searchMemory({ ...ann, query: query! });
      expect([memories[0]?.content.parts?.[0]?.text, vectorsMissing]).toEqual([text, undefined]);
    }
    expect((await open(undefined).listMemories!(ann)).memories).toHaveLength(2);
  });

  it('needs the address of PostgreSQL in the environment for pgvector', () => {
    const { memory } = parseConfig('memory: { vector_store: pgvector }');
    const p = { dbUrl: 'sqlite://:memory:', embedder: new HashEmbedder(), runtime: new FixedRuntime() };
    expect(() => openMemory(memory, { ...p, env: {} })).toThrow('COMPANION_VECTOR_URL');
    const opened = openMemory(memory, { ...p, env: { COMPANION_VECTOR_URL: 'postgresql://localhost/companion' } });
    onTestFinished(() => opened.close());
  });
});
