import { getFunctionResponses } from '@thole/core';
import type { Event, Session } from '@thole/core';
import { answersByAgent, createChatApp, messageIds, messageText, randomPauseMs } from './chat-app.ts';
import type { ChatKind } from './chat-app.ts';
import type { SimulationSetup } from './crash-matrix.ts';
import { recoverAll } from './drive-trip.ts';
import { runSchedule } from './run-schedule.ts';
import type { ScheduledWork } from './run-schedule.ts';
import type { SimulationResult } from './simulate-crashes.ts';
import { lossesOf } from './trip-outcome.ts';

/** The result of one simulated schedule with joined messages. */
export interface JoinedMessagesResult extends Omit<SimulationResult, 'inDoubt'> {
  /** Number of messages that joined a run. */
  readonly joined: number;
}

/** Number of messages of each session. */
const MESSAGES = 3;
const kinds: readonly ChatKind[] = ['single', 'sequential', 'parallel'];

/**
 * Runs a schedule as `simulateCrashes` does, with the policy `join`: the processes send the messages of a session at random times,
 * also while a run is active. Each message must be stored once, and be answered once, in the order of the session. With several
 * agents, each of them answers a message at most once.
 */
export async function simulateJoinedMessages(setup: SimulationSetup, seed: number): Promise<JoinedMessagesResult> {
  const kind = kinds[seed % kinds.length]!;
  const work: ScheduledWork = {
    appName: 'chats',
    lifetime: 80,
    concurrency: { policy: 'join' },
    createApp: (process) => createChatApp(setup.classes, kind, process),
    drive: driveChat,
  };
  const { crashes, isDone, processes, refs, service, world } = await runSchedule(setup, work, seed);
  const violations: string[] = isDone ? [] : ['The chats did not end.'];
  let joined = 0;
  for (const ref of refs) {
    const session = await service.getSession(ref);
    if (!session) continue;
    violations.push(...lossesOf(session, world), ...brokenAnswers(session, kind));
    joined += session.events.filter(({ customMetadata }) => customMetadata?.['joined'] === true).length;
  }
  return { seed, processes, crashes, joined, violations };
}

/** Recovers, sends the messages that are not stored, and continues an invocation that recovery gave up. */
const driveChat: ScheduledWork['drive'] = async ({ random, ref, runner, sessionService, sleep }) => {
  const { sessionId, userId } = ref;
  await recoverAll(runner);
  const session = await sessionService.getSession(ref);
  if (!session) {
    await sessionService.createSession(ref).catch(() => {});
    return false;
  }
  const ids = Array.from({ length: MESSAGES }, (_, i) => `${sessionId}-${i}`);
  const missing = ids.filter((id) => !session.events.some((event) => event.id === id));
  const send = async (messageId: string): Promise<void> => {
    await sleep(randomPauseMs(random));
    await runner.runToCompletion({ userId, sessionId, newMessage: messageText(messageId), messageId }).catch(() => {});
  };
  if (missing.length > 0) {
    await Promise.all(missing.map(send));
    return false;
  }
  const record = session.events.at(-1);
  if (record?.errorCode === 'RESUME_FAILED') {
    const { invocationId } = record;
    await runner.resume({ userId, sessionId, invocationId }).result.catch(() => {});
    return false;
  }
  const answered = new Set([...answersByAgent(session.events).values()].flat());
  return ids.every((id) => answered.has(id));
};

/** Returns the broken promises about the answers of a finished session, as sentences. */
function brokenAnswers({ events }: Session, kind: ChatKind): string[] {
  const found: string[] = [];
  const ids = messageIds(events.flatMap(textsOfUser));
  const stored = events.flatMap(textsOfUser);
  if (stored.length !== new Set(stored).size) found.push(`Messages were stored twice: ${stored.join(', ')}.`);
  if (ids.length !== MESSAGES) found.push(`${ids.length} of ${MESSAGES} messages are stored.`);
  const byAgent = answersByAgent(events);
  for (const [agent, answered] of byAgent) {
    const inOrder = ids.filter((id) => answered.includes(id));
    if (inOrder.join(' ') !== answered.join(' '))
      found.push(`${agent} answered ${answered.join(' ')} instead of ${inOrder.join(' ')}.`);
    if (kind === 'single' && inOrder.length !== ids.length) found.push(`${agent} answered ${inOrder.join(' ')} only.`);
  }
  const answered = new Set([...byAgent.values()].flat());
  for (const id of ids) if (!answered.has(id)) found.push(`Message ${id} has no answer.`);
  return found;
}

function textsOfUser(event: Event): string[] {
  if (event.author !== 'user' || getFunctionResponses(event).length > 0) return [];
  return (event.content?.parts ?? []).flatMap(({ text }) => text ?? []);
}
