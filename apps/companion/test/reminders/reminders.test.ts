import { join } from 'node:path';
import type { SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { getFunctionResponses } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Reminders } from '../../src/reminders/reminders.ts';
import { reminderTools } from '../../src/reminders/reminder-tools.ts';
import { folderForTest } from '../folder-for-test.ts';

const minute = 60_000;

function begin(sessions: SessionService, runtime: FixedRuntime, sent: string[] = []) {
  const keys = new Set<string>();
  const reminders = new Reminders({
    ...{ sessions, runtime },
    send: async ({ channel, idempotencyKey, text, userId }) => {
      if (keys.has(idempotencyKey)) return;
      keys.add(idempotencyKey);
      sent.push(`${userId} on ${channel}: ${text}`);
    },
  });
  reminders.start();
  onTestFinished(() => reminders.close());
  return { reminders, sent };
}

describe('Reminders', () => {
  it('sends each reminder once when it is due, and stores it in the session {userId}:reminders', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    const { reminders, sent } = begin(sessions, runtime);
    const later = { text: 'Water the herbs', at: runtime.now() + 3_600, channel: 'telegram' };
    const sooner = { text: 'Tea', at: runtime.now() + 5, channel: 'terminal' };
    await reminders.add('ann', later, 'key-1');
    await reminders.add('ann', sooner, 'key-2');
    await reminders.add('bob', later, 'key-1');
    expect((await reminders.list('ann')).map(({ text }) => text)).toEqual(['Tea', 'Water the herbs']);
    const { sessions: listed } = await sessions.listSessions({ appName: 'companion-reminders' });
    expect(listed.map(({ id }) => id).toSorted()).toEqual(['ann:reminders', 'bob:reminders']);
    await runtime.advance(59_000);
    expect(sent).toEqual([]);
    await runtime.advance(3_000);
    expect(sent).toEqual(['ann on terminal: Tea']);
    await runtime.advance(60 * minute);
    expect(sent.slice(1).toSorted()).toEqual(['ann on telegram: Water the herbs', 'bob on telegram: Water the herbs']);
    expect(await reminders.list('ann')).toEqual([]);
  });

  it('sends reminders after a restart, also those that became due while no process ran', async () => {
    const runtime = new FixedRuntime();
    const dbUrl = `sqlite:///${join(folderForTest(), 'companion.db')}`;
    const open = (): DatabaseSessionService => {
      const sessions = new DatabaseSessionService({ dbUrl, runtime });
      onTestFinished(() => sessions.close());
      return sessions;
    };
    const first = begin(open(), runtime);
    const note = { text: 'Water the herbs', at: runtime.now() + 3_600, channel: 'telegram' };
    await first.reminders.add('ann', note, 'key-1');
    await first.reminders.add('ann', { ...note, text: 'Feed the cat', at: note.at + 3_600 }, 'key-2');
    await first.reminders.close();
    await runtime.advance(61 * minute);
    expect(first.sent).toEqual([]);
    const second = begin(open(), runtime);
    await expect.poll(() => second.sent).toEqual(['ann on telegram: Water the herbs']);
    await runtime.advance(60 * minute);
    await expect.poll(() => second.sent.at(-1)).toBe('ann on telegram: Feed the cat');
    expect(second.sent).toHaveLength(2);
  });

  it('stores a repeated reminder once, and cancels a reminder', async () => {
    const runtime = new FixedRuntime();
    const { reminders, sent } = begin(new InMemorySessionService({ runtime }), runtime);
    const note = { text: 'Tea', at: runtime.now() + 5, channel: 'terminal' };
    const first = await reminders.add('ann', note, 'key-1');
    await runtime.advance(1_000);
    expect(await reminders.add('ann', note, 'key-1')).toEqual(first);
    const { id } = (await reminders.list('ann'))[0]!;
    expect(await reminders.cancel('bob', id)).toBe(false);
    expect([await reminders.cancel('ann', id), await reminders.cancel('ann', id)]).toEqual([true, false]);
    await runtime.advance(10 * minute);
    expect(sent).toEqual([]);
  });

  it('sends again with the same key after an error', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    const keys: string[] = [];
    const reminders = new Reminders({
      ...{ sessions, runtime },
      send: async ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (keys.length === 1) throw new Error('The disk is full.');
      },
    });
    onTestFinished(() => reminders.close());
    reminders.start();
    await reminders.add('ann', { text: 'Tea', at: runtime.now() + 100, channel: 'terminal' }, 'key-1');
    await runtime.advance(10 * minute);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('deletes the reminders of a user', async () => {
    const runtime = new FixedRuntime();
    const { reminders, sent } = begin(new InMemorySessionService({ runtime }), runtime);
    await reminders.add('ann', { text: 'Tea', at: runtime.now() + 100, channel: 'terminal' }, 'key-1');
    await reminders.deleteUser('ann');
    await runtime.advance(10 * minute);
    expect([sent, await reminders.list('ann')]).toEqual([[], []]);
  });
});

describe('reminder tools', () => {
  it('set reminders on the channel of the conversation, list and cancel them', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    const { reminders, sent } = begin(sessionService, runtime);
    const at = new Date((runtime.now() + 7_200) * 1_000).toISOString();
    const tools = reminderTools({ reminders, channelOf: (id) => id.split(':')[1]! });
    const call = async (name: string, args: JsonObject) => {
      const model = new ScriptedLlm(calls(name, args), says('Done.'));
      const agent = new LlmAgent({ name: 'companion', model, tools });
      const runner = new Runner({ appName: 'companion', agent, sessionService, runtime, autoCreateSession: true });
      const events = await Array.fromAsync(
        runner.runAsync({ userId: 'ann', sessionId: 'ann:telegram', newMessage: 'Go.' }),
      );
      return events.flatMap((event) => getFunctionResponses(event))[0]!.response as JsonObject;
    };
    // Every time zone reads it in another way.
    const midnight = new Date(2023, 10, 20);
    expect(await call('remind_me', { text: 'Move', at: '2023-11-20' })).toEqual({
      reminder: { text: 'Move', at: midnight.toISOString() },
    });
    const [move] = await reminders.list('ann');
    await reminders.cancel('ann', move!.id);
    expect(await call('remind_me', { text: 'Herbs', at })).toEqual({ reminder: { text: 'Herbs', at } });
    await call('remind_me', { text: 'Tea', in_minutes: 90 });
    const { reminders: listed } = (await call('list_reminders', {})) as { reminders: { id: string; text: string }[] };
    expect(listed.map(({ text }) => text)).toEqual(['Tea', 'Herbs']);
    expect(await call('cancel_reminder', { id: listed[0]!.id })).toEqual({ cancelled: true });
    expect(await call('cancel_reminder', { id: 'nothing' })).toEqual({ error: 'There is no such reminder.' });
    for (const [args, error] of [
      [{ text: 'x' }, 'Pass either at or in_minutes.'],
      [{ text: 'x', at, in_minutes: 1 }, 'Pass either at or in_minutes.'],
      [{ text: 'x', at: 'soon' }, 'at must be an existing ISO 8601 time, such as 2026-12-01T09:00.'],
      [{ text: 'x', at: '2031-02-31' }, 'at must be an existing ISO 8601 time, such as 2026-12-01T09:00.'],
      [{ text: 'x', at: '2031-06-31T09:00Z' }, 'at must be an existing ISO 8601 time, such as 2026-12-01T09:00.'],
      [{ text: 'x', at: '2031-05' }, 'at must be an existing ISO 8601 time, such as 2026-12-01T09:00.'],
      [{ text: 'x', at: '12/01/2031' }, 'at must be an existing ISO 8601 time, such as 2026-12-01T09:00.'],
      [{ text: 'x', at: '2001-01-01T00:00Z' }, 'This time is in the past.'],
      [{ text: 'x', in_minutes: 1e9 }, 'This time is too far ahead.'],
    ] as const)
      expect(await call('remind_me', args)).toEqual({ error });
    await runtime.advance(180 * minute);
    expect(sent).toEqual(['ann on telegram: Herbs']);
  });
});
