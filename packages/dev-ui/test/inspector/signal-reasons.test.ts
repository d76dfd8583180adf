import { InMemoryMemoryService } from '@thole/mem-services';
import { chatTuning, messageTuning } from '@thole/recall';
import { describe, expect, it } from 'vitest';
import { reasonsOf } from '../../page/inspector/memory/signal-reasons.ts';

describe('reasonsOf', () => {
  it('has a sentence for every signal of the ranking', () => {
    for (const name of [...Object.keys({ ...chatTuning.weights, ...messageTuning.weights }), 'cosine'])
      expect(reasonsOf({ [name]: 1 })[0]!.text, name).toMatch(/^\p{Lu}.* .* /u);
  });

  it('returns the strongest reason first, and an unknown signal under its name', () => {
    expect(reasonsOf({ isQuestion: -0.1, mine: 0.5, ownWords: 1 })).toEqual([
      { text: 'It has words of the query', value: 1 },
      { text: 'mine', value: 0.5 },
      { text: 'It is a question itself, which counts against it', value: -0.1 },
    ]);
  });

  it('explains the results of a search', async () => {
    const memory = new InMemoryMemoryService();
    const user = { appName: 'hotel', userId: 'ann' };
    await memory.addMemory({ ...user, memories: [{ kind: 'note', content: { parts: [{ text: 'Likes tea.' }] } }] });
    const { memories } = await memory.searchMemory({ ...user, query: 'tea', explain: true });
    expect(reasonsOf(memories[0]!.explanation!)[0]!.text).toBe('It has words of the query');
  });
});
