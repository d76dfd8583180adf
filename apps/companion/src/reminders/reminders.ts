import { textOf } from '@thole/core';
import type { CancelTimer, Runtime, SessionService } from '@thole/core';
import { Runner } from '@thole/runner';
import { ReminderAgent } from './reminder-agent.ts';
import type { ReminderNote, SendReminder } from './reminder-agent.ts';

/** A pending reminder. */
export interface Reminder extends ReminderNote {
  id: string;
}

/** Options of `Reminders`. */
export interface RemindersOptions {
  sessions: SessionService;
  send: SendReminder;
  runtime: Runtime;
}

/** App name of the reminders' sessions. It differs from the companion's, because idle sessions of the companion become memory. */
const REMINDERS_APP = 'companion-reminders';
/** During a shorter wait the run would keep the session's lease, and block the next reminder of the user. */
const MIN_WAIT_S = 61;
/** Time between two searches for reminders of earlier processes. */
const RECOVER_MS = 15_000;

/** Stores the reminders of each user as timers in the session `{userId}:reminders`. They survive restarts and are sent once. */
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

  /** Stores a reminder, once per key. A time in less than a minute becomes a minute from now. */
  async add(userId: string, note: ReminderNote, key: string): Promise<ReminderNote> {
    const stored = { ...note, at: Math.max(note.at, this.#runtime.now() + MIN_WAIT_S) };
    const existing = (await this.#readNotes(userId)).find(({ messageId }) => messageId === key);
    if (existing) return existing.note;
    const run = this.#runner.runAsync({ ...sessionRef(userId), newMessage: JSON.stringify(stored), messageId: key });
    for await (const _ of run);
    return stored;
  }

  /** Returns the pending reminders, earliest first. */
  async list(userId: string): Promise<Reminder[]> {
    const open = new Set(await this.#openInvocations(userId));
    const notes = (await this.#readNotes(userId)).filter(({ id }) => open.has(id));
    return notes.map(({ id, note }) => ({ id, ...note })).toSorted((a, b) => a.at - b.at);
  }

  /** Cancels a reminder. Returns false if it is not pending. */
  async cancel(userId: string, id: string): Promise<boolean> {
    if (!(await this.#openInvocations(userId)).includes(id)) return false;
    return this.#runner.cancel({ ...sessionRef(userId), invocationId: id });
  }

  /** Sends reminders that became due while no process ran, now and at intervals. */
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
      if (!this.#isClosed) this.#runtime.logger.warn('Due reminders could not be read.', { code });
    }
  }

  async #openInvocations(userId: string): Promise<string[]> {
    if (!(await this.#sessions.getSession({ appName: REMINDERS_APP, ...sessionRef(userId), numRecentEvents: 0 })))
      return [];
    return (await this.#runner.pendingInterrupts(sessionRef(userId))).map(({ invocationId }) => invocationId);
  }

  async #readNotes(userId: string): Promise<{ id: string; messageId: string; note: ReminderNote }[]> {
    const session = await this.#sessions.getSession({ appName: REMINDERS_APP, ...sessionRef(userId) });
    const messages = session?.events.filter(({ author }) => author === 'user') ?? [];
    return messages.map(({ content, id, invocationId }) => {
      return { id: invocationId, messageId: id, note: JSON.parse(textOf(content)) as ReminderNote };
    });
  }
}

function sessionRef(userId: string): { userId: string; sessionId: string } {
  return { userId, sessionId: `${userId}:reminders` };
}
