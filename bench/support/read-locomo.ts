import { readFileSync } from 'node:fs';
import type { Conversation, RecallEvent } from './recall-data.ts';

interface LocomoSample {
  sample_id: string;
  /** `session_1`, `session_1_date_time`, `session_2`, … */
  conversation: { [key: string]: unknown };
  qa: { question: string; category: number; evidence?: string[] }[];
}

interface LocomoTurn {
  speaker: string;
  dia_id: string;
  text?: string;
}

const CATEGORIES: { readonly [category: number]: string } = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
};
const SECONDS_A_TURN = 30;

/** Reads LoCoMo (`locomo10.json`). Questions without an answer (category 5) and without evidence are left out. */
export function readLocomo(path: string): Conversation[] {
  const samples = JSON.parse(readFileSync(path, 'utf8')) as LocomoSample[];
  return samples.map(({ sample_id: id, conversation, qa }) => {
    const sessions = Object.entries(conversation)
      .filter(([key, turns]) => /^session_\d+$/.test(key) && Array.isArray(turns) && turns.length > 0)
      .map(([key, turns]) => ({
        id: key,
        events: eventsOf(turns as LocomoTurn[], timeOf(String(conversation[`${key}_date_time`]))),
      }))
      .sort((a, b) => a.events[0]!.timestamp - b.events[0]!.timestamp);
    const known = new Set(sessions.flatMap(({ events }) => events.map((event) => event.id)));
    const questions = qa.flatMap(({ question, category, evidence = [] }) => {
      // Some lists have several ids in one string.
      const ids = evidence.flatMap((one) => one.match(/D\d+:\d+/g) ?? []).filter((one) => known.has(one));
      const name = CATEGORIES[category];
      return name === undefined || ids.length === 0 ? [] : [{ text: question, category: name, evidence: ids }];
    });
    return { id, sessions, questions };
  });
}

function eventsOf(turns: readonly LocomoTurn[], begin: number): RecallEvent[] {
  return turns.map(({ dia_id: id, speaker: author, text = '' }, i) => ({
    id,
    author,
    timestamp: begin + i * SECONDS_A_TURN,
    text,
  }));
}

/** Returns the seconds since the epoch for a time such as "1:56 pm on 8 May, 2023", in UTC. */
function timeOf(text: string): number {
  const [, hour, minute, half, date] = /(\d+):(\d+) (am|pm) on (.+)/i.exec(text) ?? [];
  if (date === undefined) throw new Error(`A LoCoMo session has the time "${text}".`);
  const hours = (Number(hour) % 12) + (half!.toLowerCase() === 'pm' ? 12 : 0);
  return Date.parse(`${date.replace(',', '')} UTC`) / 1000 + hours * 3600 + Number(minute) * 60;
}
