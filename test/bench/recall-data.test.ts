import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openBackend } from '../../bench/support/memory-backends.ts';
import { readLocomo } from '../../bench/support/read-locomo.ts';
import { readLongMemEval } from '../../bench/support/read-longmemeval.ts';
import { withOtherNames, withPronouns, withSuffix } from '../../bench/support/recall-data.ts';
import { scoreBackend } from '../../bench/support/score-recall.ts';

const locomo = readLocomo(fileURLToPath(new URL('locomo.json', import.meta.url)));
const longMemEval = readLongMemEval(fileURLToPath(new URL('longmemeval.json', import.meta.url)));

describe('readLocomo', () => {
  it('reads sessions with times and speakers', () => {
    const [conversation] = locomo;
    expect(conversation!.sessions.map(({ id }) => id)).toEqual(['session_1', 'session_2']);
    expect(conversation!.sessions[0]!.events[1]).toEqual({
      id: 'D1:2',
      author: 'Tomas',
      timestamp: Date.parse('2024-02-03T00:05:30Z') / 1000,
      text: 'Lovely! I sold my boat yesterday.',
    });
    expect(conversation!.sessions[1]!.events[0]!.timestamp).toBe(Date.parse('2024-03-09T13:30:00Z') / 1000);
  });

  it('reads questions with evidence and leaves out the others', () => {
    expect(locomo[0]!.questions).toEqual([
      { text: `What is Nora's greyhound called?`, category: 'single-hop', evidence: ['D1:1'] },
      { text: 'Which boats has Tomas had?', category: 'multi-hop', evidence: ['D1:2', 'D2:1'] },
    ]);
  });
});

describe('readLongMemEval', () => {
  it('reads each question with its memory and date, and leaves out those without an answer', () => {
    expect(longMemEval).toHaveLength(1);
    const [{ id, sessions, questions }] = longMemEval as [(typeof longMemEval)[number]];
    expect(id).toBe('q1');
    expect(sessions.map(({ events }) => events.length)).toEqual([2, 2]);
    expect(sessions[0]!.events[0]!.timestamp).toBe(Date.parse('2023-05-20T02:21:00Z') / 1000);
    expect(questions).toEqual([
      {
        text: 'Which instrument did I buy?',
        category: 'single-session-user',
        evidence: ['1-s_b-0'],
        askedAt: Date.parse('2023-05-30T23:40:00Z') / 1000,
      },
    ]);
  });
});

describe('variants of recall data', () => {
  it('rename speakers in authors, texts and questions', () => {
    const [conversation] = withOtherNames(locomo);
    expect(conversation!.sessions[0]!.events.map(({ author }) => author)).toEqual(['Wilhelmina', 'Quentin']);
    expect(conversation!.questions[1]!.text).toBe('Which boats has Quentin had?');
  });

  it('replace speakers by pronouns in questions', () => {
    const [conversation] = withPronouns(locomo);
    expect(conversation!.sessions[0]!.events.map(({ author }) => author)).toEqual(['user', 'assistant']);
    expect(conversation!.questions.map(({ text }) => text)).toEqual([
      'What is my greyhound called?',
      'Which boats has you had?',
    ]);
  });

  it('append words and ask one hour after the last session', () => {
    const [conversation] = withSuffix(locomo, ' today');
    expect(conversation!.questions[0]).toMatchObject({
      text: `What is Nora's greyhound called? today`,
      askedAt: Date.parse('2024-03-09T14:30:00Z') / 1000,
    });
  });
});

describe('scoreBackend', () => {
  it('scores questions by the places of their evidence', async () => {
    const backend = await openBackend('memory');
    const score = await scoreBackend([...locomo, ...longMemEval], backend!);
    expect(score.r20).toBe(100);
    expect([...score.byCategory.keys()]).toEqual(['single-hop', 'multi-hop', 'single-session-user']);
    expect(score.byCategory.get('single-session-user')!.mrr).toBe(100);
  });
});
