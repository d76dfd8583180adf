import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import type { Reminder, Reminders } from './reminders.ts';
import type { ReminderNote } from './reminder-agent.ts';

/** Longest time ahead: ten years. */
const MAX_AHEAD_S = 10 * 366 * 86_400;

/** Returns the tools `remind_me`, `list_reminders` and `cancel_reminder`. `channelOf` returns the channel of a session. */
export function reminderTools(p: { reminders: Reminders; channelOf: (sessionId: string) => string }): Tool[] {
  const { reminders, channelOf } = p;
  return [
    new FunctionTool({
      name: 'remind_me',
      description:
        'Sends this user a text at a time, on the channel of this conversation. Pass either `at` or `in_minutes`. The shortest time is one minute.',
      parameters: z.object({
        text: z.string().trim().min(1).max(1_000),
        at: z.string().optional().describe('ISO 8601, such as 2026-12-01T09:00. Without an offset it is local time.'),
        in_minutes: z.number().positive().optional(),
      }),
      idempotent: true,
      execute: async ({ text, at: time, in_minutes: minutes }, { idempotencyKey, runtime, sessionId, userId }) => {
        const now = runtime.now();
        if ((time === undefined) === (minutes === undefined)) return { error: 'Pass either at or in_minutes.' };
        const at = minutes === undefined ? parseTime(time!) : now + minutes * 60;
        if (!Number.isFinite(at)) return { error: 'at must be an existing ISO 8601 time, such as 2026-12-01T09:00.' };
        if (at < now) return { error: 'This time is in the past.' };
        if (at > now + MAX_AHEAD_S) return { error: 'This time is too far ahead.' };
        const note = { text, at, channel: channelOf(sessionId) };
        return { reminder: toResult(await reminders.add(userId, note, idempotencyKey)) };
      },
    }),
    new FunctionTool({
      name: 'list_reminders',
      description: 'Lists the pending reminders of this user, earliest first.',
      idempotent: true,
      execute: async (_args, { userId }) => ({ reminders: (await reminders.list(userId)).map(toResult) }),
    }),
    new FunctionTool({
      name: 'cancel_reminder',
      description: 'Cancels a reminder of this user. list_reminders returns the ids.',
      parameters: z.object({ id: z.string() }),
      idempotent: true,
      execute: async ({ id }, { userId }) =>
        (await reminders.cancel(userId, id)) ? { cancelled: true } : { error: 'There is no such reminder.' },
    }),
  ];
}

/**
 * Returns a time in seconds, or NaN. `Date.parse` reads a date without a time as UTC, so its local midnight is added. It reads a day
 * that does not exist, such as February 31, as a day of the next month, a month as its first day in UTC, and `12/01/2026` as in
 * the USA.
 */
function parseTime(text: string): number {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day === undefined || new Date(Date.parse(day)).toJSON()?.slice(0, 10) !== day) return NaN;
  return Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text) / 1_000;
}

function toResult({ at, text, ...note }: Reminder | ReminderNote): object {
  return { ...('id' in note && { id: note.id }), text, at: new Date(at * 1_000).toISOString() };
}
