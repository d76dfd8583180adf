import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Dispatcher, FileIdentityStore } from '@thole/channels';
import { SqlDeliveryStore, sqliteDatabase } from '@thole/channels/sql';
import { systemRuntime } from '@thole/core';
import type { Llm } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { LocalChannel } from '../../support/local-channel.ts';

/**
 * Runs a dispatcher over files in a folder. It receives two messages and is closed when both are answered. It kills its process at the
 * step `killAt`.
 */
export async function runDispatcher(folder: string, killAt = 'never'): Promise<void> {
  const isClosed = killAt.startsWith('close');
  const log = (file: string, entry: unknown): void => appendFileSync(join(folder, file), `${JSON.stringify(entry)}\n`);
  const killIf = (step: string): void => {
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  };

  const database = sqliteDatabase(join(folder, 'deliveries.db'));
  const store = new SqlDeliveryStore({ database });
  const deliveries = new Proxy(store, {
    get: (target, name: keyof SqlDeliveryStore) => {
      const member = target[name];
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        killIf(`before ${name}`);
        const result: unknown = await (member as (...args: unknown[]) => Promise<unknown>).apply(target, args);
        killIf(`after ${name}`);
        return result;
      };
    },
  });

  const model: Llm = {
    model: 'test',
    specVersion: 1,
    async *generateContentAsync({ contents }) {
      log('model.jsonl', contents.length);
      killIf('model');
      if (isClosed) await new Promise(() => {});
      yield {
        content: { role: 'model', parts: [{ text: `Answer to ${contents.at(-1)?.parts?.at(-1)?.text}` }] },
        finishReason: 'STOP',
      };
    },
  };

  const sessions = new DatabaseSessionService(`sqlite:///${join(folder, 'sessions.db')}`);
  const channel = new LocalChannel();
  channel.onSend = ({ idempotencyKey, message }) => {
    log('sent.jsonl', { key: idempotencyKey, text: message.text });
    killIf('send');
  };
  const dispatcher = new Dispatcher({
    appName: 'companion',
    channels: [channel],
    identities: new FileIdentityStore({ path: join(folder, 'users.json') }),
    deliveries,
    sessions,
    coalesceMs: 20,
    retryMs: 20,
    onError: ({ error }) => log('errors.jsonl', String(error)),
    createParts: () => ({
      runner: new Runner({
        appName: 'companion',
        agent: new LlmAgent({ name: 'companion', model }),
        sessionService: sessions,
        autoCreateSession: true,
        concurrency: { policy: 'join' },
      }),
    }),
  });
  await dispatcher.start();
  // Each process delivers both messages, also if an earlier process has acknowledged them.
  await channel.receive('a1', 'one', { id: 'm1' });
  // The run of the first message begins during this wait, so the second message joins it.
  if (killAt === 'close after joining') await systemRuntime().sleep(300);
  await channel.receive('a1', 'two', { id: 'm2' });
  await systemRuntime().sleep(killAt === 'close after joining' ? 500 : 60);
  await dispatcher.close({ timeoutMs: isClosed ? 300 : 60_000 });
  log('left.jsonl', [(await store.unfinished()).length, (await store.pending()).length]);
  await sessions.close();
  await store.close();
}
