import { readFileSync } from 'node:fs';
import type { Conversation, RecallEvent } from './recall-data.ts';

interface LongMemEvalQuestion {
  question_id: string;
  question_type: string;
  question: string;
  question_date: string;
  haystack_session_ids: string[];
  haystack_dates: string[];
  haystack_sessions: { role: string; content: string; has_answer?: boolean }[][];
}

const SECONDS_A_TURN = 30;

/**
 * Reads LongMemEval (`longmemeval_s.json` and similar files). Each question has a separate memory and a date. Leaves out questions
 * without a turn that is marked `has_answer`, and questions that have no answer (`…_abs`).
 */
export function readLongMemEval(path: string): Conversation[] {
  const all = JSON.parse(readFileSync(path, 'utf8')) as LongMemEvalQuestion[];
  return all.flatMap((one) => {
    const evidence: string[] = [];
    const sessions = one.haystack_sessions.map((turns, i) => {
      const begin = timeOf(one.haystack_dates[i]!);
      const sessionId = `${i}-${one.haystack_session_ids[i]}`;
      const events = turns.map(({ role, content, has_answer: hasAnswer }, j): RecallEvent => {
        const id = `${sessionId}-${j}`;
        if (hasAnswer) evidence.push(id);
        return { id, author: role, timestamp: begin + j * SECONDS_A_TURN, text: content };
      });
      return { id: sessionId, events };
    });
    if (evidence.length === 0 || one.question_id.endsWith('_abs')) return [];
    const question = { text: one.question, category: one.question_type, evidence, askedAt: timeOf(one.question_date) };
    const filled = sessions.filter(({ events }) => events.length > 0);
    return [{ id: one.question_id, sessions: filled, questions: [question] }];
  });
}

/** Returns the seconds since the epoch for a time such as "2023/05/30 (Tue) 23:40", in UTC. */
function timeOf(text: string): number {
  const [, year, month, day, hour, minute] = /(\d+)\/(\d+)\/(\d+)\D+(\d+):(\d+)/.exec(text) ?? [];
  if (minute === undefined) throw new Error(`A LongMemEval session has the time "${text}".`);
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) / 1000;
}
