import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import type { MemoryEntry, MemoryService, UserRef } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { memoryCommands, profile } from '@thole/memory';
import { confusableNames, FixedRuntime, ScriptedLlm } from '@thole/testing';
import { KnownUser } from './known-user.ts';

const SESSIONS = ['s', 's:', 'S'];
const NOTES = ['n1', 'n2', 'remember:n1'];
const TOPICS = ['pizza', 'kiwi', 'garden'];
const KINDS = ['turn', 'fact', 'note'] as const;

/** Options of `liveAtRandom`. */
export interface RandomLife {
  seed: number;
  /** Number of operations. Default: 1,200. */
  operations?: number | undefined;
}

/**
 * Runs random operations of two users of two apps at a time, whose names are prefixes and encodings of each other:
 * turns are said, ingested repeatedly, noted, changed and forgotten, also with other users' ids. Throws an error
 * with the seed if lists, searches, commands or profiles show another user's entry, if an entry is missing, or if a
 * forgotten entry is back.
 */
export async function liveAtRandom(
  make: (runtime: FixedRuntime) => Required<MemoryService> | Promise<Required<MemoryService>>,
  { seed, operations = 1_200 }: RandomLife,
): Promise<void> {
  const runtime = new FixedRuntime({ seed });
  const memory = await make(runtime);
  const below = (count: number): number => Math.floor(runtime.random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const sessions = new InMemorySessionService({ runtime });
  const commands = memoryCommands({ memory, sessions, runtime });
  const profiles = profile({ memory, llm: new ScriptedLlm(), runtime });

  const known = new Map<string, KnownUser>();
  const people = confusableNames.map(({ apps, users }) =>
    apps.flatMap((appName) => users.map((userId) => knownOf({ appName, userId }))),
  );
  function knownOf(user: UserRef): KnownUser {
    const key = JSON.stringify([user.appName, user.userId]);
    if (!known.has(key)) known.set(key, new KnownUser(user, `@${known.size}@`));
    return known.get(key)!;
  }

  async function act(person: KnownUser, all: readonly KnownUser[], i: number): Promise<string> {
    const { user } = person;
    const [sessionId, text] = [pick(SESSIONS), `${pick(TOPICS)} ${i}`];
    const someIds = (): string[] =>
      Array.from({ length: 1 + below(3) }, () => pick([...pick(all).texts.keys(), 'unknown']));
    const kind = below(20);
    if (kind < 8) {
      const events = Array.from({ length: 1 + below(3) }, () => person.say(sessionId, text, runtime.now()));
      await memory.addEventsToMemory({ ...user, sessionId, events });
      person.ingest(sessionId, events);
      return 'say';
    }
    if (kind < 11) {
      const session = person.session(sessionId);
      await memory.addSessionToMemory(session);
      person.ingest(sessionId, session.events);
      return 'ingest a session again';
    }
    if (kind < 13) {
      const [id, content] = [pick(NOTES), { parts: [{ text: `${text} ${person.sign}` }] }];
      await memory.addMemory({ ...user, memories: [{ id, kind: 'note', content }] });
      person.texts.set(id, { text: textOf(content) });
      return 'note';
    }
    if (kind < 15) {
      const [id] = someIds();
      const content = { parts: [{ text: `${text} ${person.sign}` }] };
      const updated = await memory.updateMemory({ ...user, id: id!, change: { content } });
      const before = person.texts.get(id!);
      assert.equal(updated !== undefined, before !== undefined, 'the result of updateMemory');
      if (before) person.texts.set(id!, { ...before, text: textOf(content) });
      return 'change';
    }
    if (kind < 18) {
      const ids = someIds();
      const count = await memory.deleteMemory({ ...user, ids });
      assert.equal(count > 0, person.forget(ids) > 0, 'the count of deleteMemory');
      return 'forget some';
    }
    if (kind < 19) {
      const count = await memory.deleteSessionMemory({ ...user, sessionId });
      const ids = [...person.texts].flatMap(([id, one]) => (one.sessionId === sessionId ? id : []));
      assert.equal(count > 0, person.forget(ids) > 0, 'the count of deleteSessionMemory');
      return 'forget a session';
    }
    const count = await memory.deleteUserMemory(user);
    assert.equal(count > 0, person.forgetEverything(runtime.now()) > 0, 'the count of deleteUserMemory');
    return 'forget everything';
  }

  async function check({ user, sign, texts }: KnownUser): Promise<void> {
    const entries = (await memory.listMemories({ ...user, limit: 1_000, filter: { kinds: KINDS } })).memories;
    const own = entries.filter(({ kind }) => kind !== 'fact');
    assert.deepEqual(
      byId(own.map(({ id, content }) => [id, textOf(content)])),
      byId([...texts].map(([id, one]) => [id, one.text])),
    );
    const listedIds = new Set(entries.map(({ id }) => id));
    for (const { evidence = [] } of entries)
      assert.ok(
        evidence.every((id) => texts.has(id)),
        'a fact has deleted evidence',
      );
    const { memories } = await memory.searchMemory({ ...user, query: pick(TOPICS), limit: 5 });
    assert.ok(
      memories.every(({ id }) => listedIds.has(id)),
      'a search finds an entry that the list does not contain',
    );
    const shown = [...entries, ...memories].map(({ content }: MemoryEntry) => textOf(content));
    if (below(5) === 0) {
      shown.push(...((await profiles.of({ ...user, sessionId: pick(SESSIONS) }))?.lines ?? []));
      const { text } = (await commands.handle('/memory', { ...user, sessionId: pick(SESSIONS) }))!;
      if (text !== 'Nothing is remembered.') shown.push(...text.split('\n').filter((line) => !line.startsWith('…')));
    }
    for (const text of shown) assert.ok(text.includes(sign), `${sign} sees ${/@\d+@/.exec(text)?.[0]}`);
  }

  for (let i = 0; i < operations; i++) {
    const all = people[Math.floor((i * people.length) / operations)]!;
    const [person, other] = [pick(all), pick(all)];
    await runtime.advance(1_000);
    let doing = 'nothing yet';
    try {
      doing = await act(person, all, i);
      for (const each of [person, other]) await check(each);
    } catch (cause) {
      const where = `${JSON.stringify(person.user)}, seen from ${JSON.stringify(other.user)}`;
      throw new Error(`Seed ${seed}, operation ${i} (${doing}) on ${where}: ${(cause as Error).message}`, { cause });
    }
  }
}

const byId = (texts: [string, string][]): [string, string][] => texts.toSorted(([a], [b]) => (a < b ? -1 : 1));
