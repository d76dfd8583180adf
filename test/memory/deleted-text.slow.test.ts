import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent, systemRuntime } from '@thole/core';
import type { Event, Logger, Runtime } from '@thole/core';
import { correctMemory, memoryCommands } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseArtifactService, DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { says, ScriptedLlm } from '@thole/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'deleted-text-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** All services over one SQLite file, and a runner over them. */
class Hotel {
  readonly path = join(folder, `${files++}.db`);
  readonly logged: string[] = [];
  readonly #runtime: Runtime = loggingRuntime(this.logged);
  readonly #place = { dbUrl: `sqlite:///${this.path}`, runtime: this.#runtime };
  readonly sessions = new DatabaseSessionService(this.#place);
  readonly memory = new DatabaseMemoryService(this.#place);
  readonly artifacts = new DatabaseArtifactService(this.#place);
  readonly runner = new Runner({
    appName: 'hotel',
    agent: new LlmAgent({
      name: 'concierge',
      model: new ScriptedLlm(...Array.from({ length: 40 }, (_, i) => says(`Noted: ZYXSECRET ${i}`))),
      outputKey: 'user:last',
    }),
    sessionService: this.sessions,
    memoryService: this.memory,
    artifactService: this.artifacts,
    autoCreateSession: true,
    runtime: this.#runtime,
  });

  /** Puts the word into events, state, artifacts and memory. */
  async addWord(userId: string, sessionId: string, word: string, turns = 3): Promise<void> {
    for (let i = 0; i < turns; i++) {
      const newMessage = `${word} ${'x'.repeat(i * 700)} ${word}`;
      for await (const _ of this.runner.runAsync({ userId, sessionId, newMessage, stateDelta: { note: word } }));
    }
    const user = { appName: 'hotel', userId };
    const artifact = { inlineData: { mimeType: 'text/plain', data: btoa(`${word} `.repeat(900)) } };
    await this.artifacts.saveArtifact({ ...user, sessionId, filename: 'a.txt', artifact });
    await this.memory.addSessionToMemory((await this.sessions.getSession({ ...user, sessionId }))!);
  }

  /** True if the files of the database contain the word. */
  contains(word: string): boolean {
    return ['', '-wal', '-journal'].some(
      (end) => existsSync(this.path + end) && readFileSync(this.path + end, 'latin1').includes(word),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.sessions.close(), this.memory.close(), this.artifacts.close()]);
  }
}

function loggingRuntime(lines: string[]): Runtime {
  const log = (message: string): void => void lines.push(message);
  const logger: Logger = { debug: () => {}, info: log, warn: log, error: log };
  return systemRuntime({ logger });
}

function openHotel(): Hotel {
  const hotel = new Hotel();
  onTestFinished(() => hotel.close());
  return hotel;
}

describe('Deleted text in a SQLite file', () => {
  it('is in no byte after Runner.deleteUserData (contract 12, 31)', async () => {
    const hotel = openHotel();
    for (const sessionId of ['s1', 's2']) await hotel.addWord('alice', sessionId, 'ZYXSECRET');
    expect(hotel.contains('ZYXSECRET')).toBe(true);
    await hotel.runner.deleteUserData({ userId: 'alice' });
    expect(hotel.contains('ZYXSECRET')).toBe(false);
    await hotel.close();
    expect(hotel.contains('ZYXSECRET')).toBe(false);
  });

  it('is in no byte after Runner.deleteSession with memory, while other sessions stay (contract 31)', async () => {
    const hotel = openHotel();
    for (const each of ['s1', 's2', 's3']) {
      await hotel.sessions.createSession({ appName: 'hotel', userId: 'alice', sessionId: each });
      await hotel.sessions.appendEvent({
        session: { appName: 'hotel', userId: 'alice', sessionId: each },
        event: eventSaying(each === 's2' ? 'QWXSECRET' : 'PUBLIC'),
      });
    }
    expect(hotel.contains('QWXSECRET')).toBe(true);
    expect(await hotel.runner.deleteSession({ userId: 'alice', sessionId: 's2', memory: true })).toBe(true);
    expect([hotel.contains('QWXSECRET'), hotel.contains('PUBLIC')]).toEqual([false, true]);
  });

  it('is in no byte after /reset of a conversation that memory does not keep', async () => {
    const hotel = openHotel();
    await hotel.sessions.createSession({ appName: 'hotel', userId: 'alice', sessionId: 's' });
    const ref = { appName: 'hotel', userId: 'alice', sessionId: 's' };
    await hotel.sessions.appendEvent({ session: ref, event: eventSaying('QWXSECRET') });
    const commands = memoryCommands({ sessions: hotel.sessions });
    expect(await commands.handle('/reset', ref)).toMatchObject({ isCleared: true });
    expect(hotel.contains('QWXSECRET')).toBe(false);
  });

  it('is in no byte after users with rows in the same pages are deleted one by one', async () => {
    const hotel = openHotel();
    const users = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'];
    for (const userId of users)
      await hotel.sessions.createSession({ appName: 'hotel', userId, sessionId: 's', state: { n: 0 } });
    let seed = 31_676;
    const randomBelow = (limit: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (seed >> 8) % limit;
    };
    for (let i = 0; i < 1_500; i++) {
      const userId = users[randomBelow(users.length)]!;
      const word = (size: number): string => `MARK_${userId}_ ${'x'.repeat(randomBelow(size))}`;
      const event = eventSaying(word(900));
      event.actions.stateDelta = { [`user:${randomBelow(40)}`]: word(600) };
      await hotel.sessions.appendEvent({ session: { appName: 'hotel', userId, sessionId: 's' }, event });
    }
    for (const userId of users) {
      expect(hotel.contains(`MARK_${userId}_`)).toBe(true);
      await hotel.runner.deleteUserData({ userId });
      expect(hotel.contains(`MARK_${userId}_`), userId).toBe(false);
    }
  });

  it('is in no byte after updateMemory and correctMemory replaced it (contract 31)', async () => {
    const hotel = openHotel();
    const alice = { appName: 'hotel', userId: 'alice' };
    await hotel.memory.addMemory({
      ...alice,
      memories: [
        { id: 'n', kind: 'note', content: { parts: [{ text: 'QWXSECRET' }] } },
        { id: 'f', kind: 'fact', content: { parts: [{ text: 'QWXSECRET' }] } },
      ],
    });
    expect(hotel.contains('QWXSECRET')).toBe(true);
    const content = { parts: [{ text: 'Nothing.' }] };
    await hotel.memory.updateMemory({ ...alice, id: 'n', change: { content } });
    await correctMemory({ ...alice, memory: hotel.memory, id: 'f', text: 'Nothing.' });
    expect(hotel.contains('QWXSECRET')).toBe(false);
  });

  it('is in no byte after deleteUserArtifacts if it was in the name of a deleted artifact', async () => {
    const hotel = openHotel();
    const user = { appName: 'hotel', userId: 'alice' };
    const file = { ...user, sessionId: 's', filename: 'QWXSECRET.txt' };
    await hotel.artifacts.saveArtifact({ ...file, artifact: { text: 'x' } });
    await hotel.artifacts.deleteArtifact(file);
    expect(hotel.contains('QWXSECRET')).toBe(true);
    await hotel.artifacts.deleteUserArtifacts(user);
    expect(hotel.contains('QWXSECRET')).toBe(false);
  });

  it('stays in the log while another connection reads, with a warning, and is cleared later', async () => {
    const hotel = openHotel();
    await hotel.addWord('alice', 's1', 'ZYXSECRET');
    const reader = new DatabaseSync(hotel.path);
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM thole_events').get();
    await hotel.runner.deleteUserData({ userId: 'alice' });
    expect(await hotel.sessions.getSession({ appName: 'hotel', userId: 'alice', sessionId: 's1' })).toBeUndefined();
    expect(hotel.logged.join()).toContain('will be cleared later');
    expect(hotel.contains('ZYXSECRET')).toBe(true);
    reader.exec('COMMIT');
    reader.close();
    await expect.poll(() => hotel.contains('ZYXSECRET'), { timeout: 10_000, interval: 200 }).toBe(false);
    expect(hotel.logged.join()).toContain('was cleared');
  });
});

function eventSaying(text: string): Event {
  return createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] } });
}
