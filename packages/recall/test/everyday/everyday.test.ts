import { DEFAULT_MIN_RELEVANCE } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { EverydayMemory, idOf, messages, questions } from './everyday.ts';

// Comments contain the current values, assertions the minimum. Change both when the ranking changes.
const memory = new EverydayMemory();
const languages = [...new Set(questions.map(({ language }) => language))];

/** Returns the share of questions whose answer is among the first `within` results, for each group and for all. */
async function measureRecall(
  groupOf: (question: (typeof questions)[number]) => string,
  p: { minRelevance: number; within: number },
): Promise<Map<string, number>> {
  const tally = new Map<string, { found: number; total: number }>();
  for (const [i, question] of questions.entries()) {
    const ids = await memory.search(question.language, question.question, p);
    const isFound = ids.slice(0, p.within).includes(idOf(i, question.answer));
    for (const group of ['all', groupOf(question)]) {
      const { found: before, total } = tally.get(group) ?? { found: 0, total: 0 };
      tally.set(group, { found: before + (isFound ? 1 : 0), total: total + 1 });
    }
  }
  return new Map([...tally].map(([group, each]) => [group, each.found / each.total]));
}

describe('Everyday questions', () => {
  it('cover 15 domains and 12 languages with 120 questions and 60 messages', () => {
    expect(questions).toHaveLength(120);
    expect(messages).toHaveLength(60);
    expect(new Set(questions.map(({ domain }) => domain)).size).toBe(15);
    expect(languages).toHaveLength(12);
    for (const { memory: lines, answer } of questions) expect(lines[answer]).toBeDefined();
  });

  it('find their answer among the first five results', async () => {
    const shares = await measureRecall(({ language }) => language, { minRelevance: 0, within: 5 });
    // 0.975: English 29 of 32, all others 8 of 8.
    expect(shares.get('all')).toBeGreaterThanOrEqual(0.97);
    for (const language of languages) expect([language, shares.get(language)! >= 0.875]).toEqual([language, true]);
  });

  it('find their answer as the first result', async () => {
    const shares = await measureRecall(({ language }) => language, { minRelevance: 0, within: 1 });
    // 0.833.
    expect(shares.get('all')).toBeGreaterThanOrEqual(0.82);
  });

  it('find their answer among the first five results with the default relevance', async () => {
    const p = { minRelevance: DEFAULT_MIN_RELEVANCE, within: 5 };
    const shares = await measureRecall(({ language }) => language, p);
    // 0.95: English 27 of 32, German 7 of 8, all others 8 of 8.
    expect(shares.get('all')).toBeGreaterThanOrEqual(0.945);
    for (const language of languages) expect([language, shares.get(language)! >= 0.8]).toEqual([language, true]);
  });

  it('lose at most 3 points of recall by the default relevance', async () => {
    const without = await measureRecall(({ language }) => language, { minRelevance: 0, within: 5 });
    const shares = await measureRecall(({ language }) => language, { minRelevance: DEFAULT_MIN_RELEVANCE, within: 5 });
    // 0.025.
    expect(without.get('all')! - shares.get('all')!).toBeLessThanOrEqual(0.03);
  });

  it('find their answer in every domain', async () => {
    const shares = await measureRecall(({ domain }) => domain, { minRelevance: DEFAULT_MIN_RELEVANCE, within: 5 });
    // The lowest are sports (0.8) and work, home (0.82).
    for (const [domain, share] of shares) expect([domain, share >= 0.8]).toEqual([domain, true]);
  });
});

describe('Messages without an answer', () => {
  it('find memories in at most 10 % of the cases with the default relevance', async () => {
    const withResults: string[] = [];
    for (const { language, text } of messages) {
      const ids = await memory.search(language, text, { minRelevance: DEFAULT_MIN_RELEVANCE });
      if (ids.length > 0) withResults.push(text);
    }
    // 4 of 60.
    expect(withResults.length / messages.length).toBeLessThanOrEqual(0.1);
  });

  it('find nothing for greetings and thanks', async () => {
    for (const { language, kind, text } of messages)
      if (kind === 'small-talk')
        expect([text, await memory.search(language, text, { minRelevance: DEFAULT_MIN_RELEVANCE })]).toEqual([
          text,
          [],
        ]);
  });
});
