import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { textOf } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const hello = { userId: 'ann', sessionId: 's' };

describe('Runner with a cached session', () => {
  it.each([
    ['more events', ['stored 1', 'stored 2'], ['answer 3', 'answer 4']],
    ['as many events', ['stored 1'], ['answer 3']],
  ])('reads the session again after lost events were replaced by %s (contract 13)', async (_, messages, answers) => {
    const folder = await mkdtemp(join(tmpdir(), 'thole-lost-'));
    const file = join(folder, 'sessions.db');
    const model = new ScriptedLlm(...['1', '2', '3', '4', '5'].map((n) => says(`answer ${n}`)));
    const createRunner = (): Runner =>
      new Runner({
        appName: 'app',
        agent: new LlmAgent({ name: 'root', model }),
        sessionService: new DatabaseSessionService(`sqlite:///${file}`),
        autoCreateSession: true,
      });
    {
      await using first = createRunner();
      await using second = createRunner();
      await first.runToCompletion({ ...hello, newMessage: 'kept' });
      await first.runToCompletion({ ...hello, newMessage: 'lost' });
      // A failover to a replica loses the last writes in this way.
      using database = new DatabaseSync(file);
      database.exec('DELETE FROM thole_events WHERE seq > 2; UPDATE thole_sessions SET last_seq = 2');
      for (const newMessage of messages) await second.runToCompletion({ ...hello, newMessage });
      await first.runToCompletion({ ...hello, newMessage: 'now' });
    }
    await rm(folder, { recursive: true });
    const stored = messages.flatMap((message, i) => [message, answers[i]!]);
    expect(model.requests.at(-1)!.contents.map(textOf)).toEqual(['kept', 'answer 1', ...stored, 'now']);
  });
});
