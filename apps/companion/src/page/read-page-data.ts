import type { AccessRequest, User } from '@thole/channels';
import { textOf } from '@thole/core';
import { isCurrentMemory } from '@thole/core/kit';
import type { Interrupt, SessionService } from '@thole/core';
import type { Companion } from '../companion.ts';
import { APP_NAME } from '../generation.ts';
import type { ShownProposal } from '../grow/growth.ts';
import type { Reminder } from '../reminders/reminders.ts';
import { openTasksIn } from '../tasks/task-board.ts';
import type { Task } from '../tasks/task-board.ts';

/** One person on the page. */
export interface PersonData {
  user: User;
  /** Texts of current facts and notes, newest first, at most 50. */
  memories: string[];
  tasks: Task[];
  reminders: Reminder[];
  proposals: ShownProposal[];
}

/** A conversation that is stored. */
export interface ConversationData {
  userId: string;
  channel: string;
  /** Seconds since the epoch. */
  lastUpdateTime: number;
  events: number;
}

/** A confirmation on which a conversation waits. */
export interface QuestionData {
  userId: string;
  sessionId: string;
  interrupt: Interrupt;
}

/** Everything that the page shows. */
export interface PageData {
  people: PersonData[];
  channels: string[];
  conversations: ConversationData[];
  requests: AccessRequest[];
  questions: QuestionData[];
}

const MAX_MEMORIES = 50;
const MAX_CONVERSATIONS = 100;

/** Reads everything that the page shows. */
export async function readPageData(companion: Companion): Promise<PageData> {
  const { dispatcher, identities, sessions } = companion;
  const { sessions: latestSessions } = await sessions.listSessions({
    appName: APP_NAME,
    order: 'desc',
    limit: MAX_CONVERSATIONS,
  });
  return {
    people: await Promise.all((await identities.list()).map((user) => readPerson(companion, user))),
    channels: dispatcher.channels.map(({ name }) => name),
    conversations: latestSessions.map(({ id, lastSeq: events, lastUpdateTime, userId }) => {
      return { userId, channel: channelOfSession(id), lastUpdateTime, events };
    }),
    requests: await identities.listRequests(),
    questions: await readQuestions(companion, sessions),
  };
}

/** Returns the channel of a session id `{userId}:{channel}`. */
export function channelOfSession(sessionId: string): string {
  return sessionId.slice(sessionId.indexOf(':') + 1);
}

async function readPerson(
  { growth, memory, reminders, runtime, sessions }: Companion,
  user: User,
): Promise<PersonData> {
  const ref = { appName: APP_NAME, userId: user.id };
  const state = await sessions.getUserState(ref);
  const memories: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.listMemories?.({ ...ref, cursor, filter: { kinds: ['fact', 'note'] } });
    memories.push(
      ...(page?.memories ?? [])
        .filter((entry) => isCurrentMemory(entry, runtime.now()))
        .map(({ content }) => textOf(content)),
    );
    cursor = page?.next;
  } while (cursor !== undefined);
  return {
    user,
    memories: memories.toReversed().slice(0, MAX_MEMORIES),
    tasks: openTasksIn(state),
    reminders: await reminders.list(user.id),
    proposals: await growth.list(user.id),
  };
}

async function readQuestions({ runner }: Companion, sessions: SessionService): Promise<QuestionData[]> {
  const page = await sessions.listWaitingSessions?.({ appName: APP_NAME, kind: 'interrupts' });
  const questions = await Promise.all(
    (page?.sessions ?? []).map(async ({ key: { sessionId, userId } }) => {
      const open = await runner.pendingInterrupts({ userId, sessionId });
      return open.filter(({ kind }) => kind === 'confirmation').map((interrupt) => ({ userId, sessionId, interrupt }));
    }),
  );
  return questions.flat();
}
