import type { Agent, Event, InvocationContext } from '@thole/core';
import { createEvent, textOf, TholeError } from '@thole/core';
import { BaseAgent } from '@thole/runner';

/** A reminder, stored as the message of its invocation. */
export interface ReminderNote {
  text: string;
  /** Seconds since the epoch. */
  at: number;
  /** Channel of the conversation that created it. */
  channel: string;
}

/** Sends a due reminder. It is called again with the same key after a crash or an error. */
export type SendReminder = (p: ReminderNote & { userId: string; idempotencyKey: string }) => Promise<void>;

/** Waits until a reminder is due, also across restarts of the process, and sends it once. */
export class ReminderAgent extends BaseAgent implements Agent {
  readonly #send: SendReminder;

  constructor(send: SendReminder) {
    super({ name: 'reminder', description: 'Sends a text at a time.' });
    this.#send = send;
  }

  async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
    const note = JSON.parse(textOf(context.userContent)) as ReminderNote;
    await context.sleepUntil(note.at);
    while (!(await context.step('send', () => this.#trySend(context, note)))) await context.sleep(RETRY_MS);
    yield createEvent({
      author: this.name,
      invocationId: context.invocationId,
      content: { role: 'model', parts: [{ text: 'Done.' }] },
    });
  }

  /** Returns false if the reminder has to be sent again later. */
  async #trySend({ invocationId, runtime, userId }: InvocationContext, note: ReminderNote): Promise<boolean> {
    try {
      await this.#send({ ...note, userId, idempotencyKey: `reminder:${invocationId}` });
      return true;
    } catch (error) {
      const code = TholeError.is(error) ? error.code : undefined;
      runtime.logger.warn('A reminder could not be sent.', { userId, code });
      return code !== undefined && PERMANENT_ERRORS.includes(code);
    }
  }
}

/** Errors after which another attempt would fail too: the user was deleted, or has no channel. */
const PERMANENT_ERRORS: readonly string[] = ['USER_NOT_FOUND', 'INVALID_INPUT'];
const RETRY_MS = 5 * 60_000;
