import { textOf } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };

// F117, with F098 and F099: the Rust ADK's in-memory service.
describe('example: memory searched by substring', () => {
  async function search(query: string): Promise<string[]> {
    const memory = new InMemoryMemoryService({ match: 'substring' });
    const texts = ['I prefer rooms on high floors.', 'No high floors for my mother.', 'Floors are cold here.'];
    const memories = texts.map((text, second) => ({
      kind: 'note' as const,
      content: { parts: [{ text }] },
      timestamp: second,
    }));
    await memory.addMemory({ ...user, memories });
    return (await memory.searchMemory({ ...user, query })).memories.map(({ content }) => textOf(content));
  }

  it('finds every entry that contains the query, in any case, newest first (contract 32)', async () => {
    expect(await search('HIGH floors')).toEqual(['No high floors for my mother.', 'I prefer rooms on high floors.']);
  });

  it('finds nothing if only the words match, not the text (contract 32)', async () => {
    expect(await search('floors high')).toEqual([]);
    expect(await search('')).toEqual([]);
  });
});
