import { readFileSync } from 'node:fs';

/** A conversation with questions and the turns that answer them. A file of THOLE_RECALL_DATA contains a list of them. */
export interface Conversation {
  id: string;
  sessions: { id: string; events: RecallEvent[] }[];
  questions: RecallQuestion[];
}

export interface RecallEvent {
  id: string;
  author: string;
  /** Seconds since the epoch. */
  timestamp: number;
  text: string;
}

export interface RecallQuestion {
  text: string;
  category: string;
  /** Ids of the events that answer it. */
  evidence: string[];
  /** Seconds since the epoch. Default: the system's time. */
  askedAt?: number | undefined;
}

export function readRecallData(path: string): Conversation[] {
  return JSON.parse(readFileSync(path, 'utf8')) as Conversation[];
}

/** Returns the data with `suffix` after each question, and with questions one hour after the last session. */
export function withSuffix(conversations: readonly Conversation[], suffix: string): Conversation[] {
  return conversations.map((conversation) => {
    const last = Math.max(...conversation.sessions.flatMap(({ events }) => events.map(({ timestamp }) => timestamp)));
    const questions = conversation.questions.map((question) => ({
      ...question,
      text: `${question.text}${suffix}`,
      askedAt: last + 3600,
    }));
    return { ...conversation, questions };
  });
}

const OTHER_NAMES = ['Wilhelmina', 'Quentin'];

/** Returns the data with other names of the authors, in questions and texts. */
export function withOtherNames(conversations: readonly Conversation[]): Conversation[] {
  return conversations.map((conversation) => renameAuthors(conversation, (_name, i) => OTHER_NAMES[i]!));
}

/** Returns the data with the authors `user` and `assistant`. Questions use "I" and "you" for them. */
export function withPronouns(conversations: readonly Conversation[]): Conversation[] {
  return conversations.map((conversation) => {
    const renamed = renameAuthors(conversation, (_name, i) => ['user', 'assistant'][i]!, false);
    const [user, other] = authorsOf(conversation);
    const questions = conversation.questions.map((question) => ({
      ...question,
      text: toFirstPerson(question.text, user!, ['I', 'my']).replace(
        new RegExp(`\\b${other}('s)?\\b`, 'g'),
        (_, owns?: string) => (owns ? 'your' : 'you'),
      ),
    }));
    return { ...renamed, questions };
  });
}

function toFirstPerson(text: string, name: string, [subject, owner]: [string, string]): string {
  return text.replace(new RegExp(`\\b${name}('s)?\\b`, 'g'), (_, owns?: string) => (owns ? owner : subject));
}

function renameAuthors(
  conversation: Conversation,
  nameOf: (name: string, i: number) => string,
  inTexts = true,
): Conversation {
  const names = authorsOf(conversation);
  const others = new Map(names.map((name, i) => [name, nameOf(name, i)]));
  const pattern = new RegExp(`\\b(${names.join('|')})\\b`, 'g');
  const rename = (text: string): string => (inTexts ? text.replace(pattern, (name) => others.get(name) ?? name) : text);
  return {
    id: conversation.id,
    sessions: conversation.sessions.map(({ id, events }) => ({
      id,
      events: events.map((event) => ({ ...event, author: others.get(event.author)!, text: rename(event.text) })),
    })),
    questions: conversation.questions.map((question) => ({ ...question, text: rename(question.text) })),
  };
}

function authorsOf({ sessions }: Conversation): string[] {
  return [...new Set(sessions.flatMap(({ events }) => events.map(({ author }) => author)))];
}

/** Returns the data as long messages: each joins N consecutive turns of one author. */
export function joinedToMessages(conversations: readonly Conversation[], turns: number): Conversation[] {
  return conversations.map((conversation) => joinTurns(conversation, turns));
}

function joinTurns({ id, sessions, questions }: Conversation, turns: number): Conversation {
  const joinedInto = new Map<string, string>();
  const longer = sessions.map((session) => {
    const parts = Array.from({ length: Math.ceil(session.events.length / (2 * turns)) }, (_, i) =>
      session.events.slice(i * 2 * turns, (i + 1) * 2 * turns),
    ).flatMap((run) => Object.values(Object.groupBy(run, ({ author }) => author)) as RecallEvent[][]);
    for (const part of parts) for (const event of part) joinedInto.set(event.id, part[0]!.id);
    const events = parts.map((part) => ({ ...part[0]!, text: part.map(({ text }) => text).join(' ') }));
    return { id: session.id, events };
  });
  const changedQuestions = questions.map((question) => ({
    ...question,
    evidence: [...new Set(question.evidence.map((event) => joinedInto.get(event) ?? event))],
  }));
  return { id, sessions: longer, questions: changedQuestions };
}
