import { textOf } from '@thole/core';
import type { CancelTimer, Runtime, SessionService } from '@thole/core';
import { Runner } from '@thole/runner';
import { ReminderAgent } from './reminder-agent.ts';
import type { ReminderNote, SendReminder } from './reminder-agent.ts';

/** A reminder that waits. */
export interface Reminder extends ReminderNote {
  id: string;
}

/** Options of `Reminders`. */
export interface RemindersOptions {
  sessions: SessionService;
  send: SendReminder;
  runtime: Runtime;
}

/** App of the reminders' sessions. Not the companion's, whose idle sessions become memory. */
export const REMINDERS_APP = 'companion-reminders';
/** Shorter waits would hold the user's session, so that the next reminder would have to wait. */
const MIN_WAIT_S = 61;
/** Time between two looks for reminders that earlier processes have left. */
const RECOVER_MS = 15_000;

/** Timers in a session of the user's own, `{userId}:reminders`. They survive restarts and fire once. */
export class Reminders {
  readonly #sessions: SessionService;
  readonly #runner: Runner;
  readonly #runtime: Runtime;
  #cancel: CancelTimer | undefined;
  #recovery: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ sessions, send, runtime }: RemindersOptions) {
    this.#sessions = sessions;
    this.#runtime = runtime;
    this.#runner = new Runner({
      ...{ appName: REMINDERS_APP, agent: new ReminderAgent(send), sessionService: sessions, runtime },
      autoCreateSession: true,
    });
  }

  /** Stores a reminder. The same key stores it once. A time in less than a minute becomes a minute from now. */
  async add(userId: string, note: ReminderNote, key: string): Promise<ReminderNote> {
    const stored = { ...note, at: Math.max(note.at, this.#runtime.now() + MIN_WAIT_S) };
    const existing = (await this.#notes(userId)).find(({ messageId }) => messageId === key);
    if (existing) return existing.note;
    const run = this.#runner.runAsync({ ...refOf(userId), newMessage: JSON.stringify(stored), messageId: key });
    for await (const _ of run);
    return stored;
  }

  /** Returns the reminders that wait, earliest first. */
  async list(userId: string): Promise<Reminder[]> {
    const open = new Set(await this.#openInvocations(userId));
    const notes = (await this.#notes(userId)).filter(({ id }) => open.has(id));
    return notes.map(({ id, note }) => ({ id, ...note })).toSorted((a, b) => a.at - b.at);
  }

  /** Returns false if no such reminder waits. */
  async cancel(userId: string, id: string): Promise<boolean> {
    if (!(await this.#openInvocations(userId)).includes(id)) return false;
    return this.#runner.cancel({ ...refOf(userId), invocationId: id });
  }

  /** Sends what became due while no process ran, now and at intervals. */
  start(): void {
    if (this.#isClosed) return;
    this.#recovery = this.#recover();
    this.#cancel = this.#runtime.timer(RECOVER_MS, () => void this.#recovery.then(() => this.start()));
  }

  /** Deletes all reminders of a user. */
  deleteUser(userId: string): Promise<void> {
    return this.#runner.deleteUserData({ userId });
  }

  /** Stops the timers of this process. The reminders stay stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#recovery;
    await this.#runner.close();
  }

  async #recover(): Promise<void> {
    try {
      for await (const _ of this.#runner.recover());
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (!this.#isClosed) this.#runtime.logger.warn('Reminders could not be looked up.', { code });
    }
  }

  async #openInvocations(userId: string): Promise<string[]> {
    if (!(await this.#sessions.getSession({ appName: REMINDERS_APP, ...refOf(userId), numRecentEvents: 0 }))) return [];
    return (await this.#runner.pendingInterrupts(refOf(userId))).map(({ invocationId }) => invocationId);
  }

  async #notes(userId: string): Promise<{ id: string; messageId: string; note: ReminderNote }[]> {
    const session = await this.#sessions.getSession({ appName: REMINDERS_APP, ...refOf(userId) });
    const messages = session?.events.filter(({ author }) => author === 'user') ?? [];
    return messages.map(({ content, id, invocationId }) => {
      return { id: invocationId, messageId: id, note: JSON.parse(textOf(content)) as ReminderNote };
    });
  }
}

function refOf(userId: string): { userId: string; sessionId: string } {
  return { userId, sessionId: `${userId}:reminders` };
}
