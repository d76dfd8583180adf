import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactRequest } from '@thole/memory/facts';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { ann, bob, textEvent } from '../support/conversations.ts';

const STEPS = 250;

/** An extractor that returns random operations, valid or not, also with ids of other users. */
class HostileExtractor {
  readonly specVersion = 1;
  readonly #random: FixedRuntime;
  readonly receivedIds: string[] = [];

  constructor(random: FixedRuntime) {
    this.#random = random;
  }

  pick<T>(...from: readonly T[]): T {
    return from[Math.floor(this.#random.random() * from.length)]!;
  }

  async extract({ turns, before, known }: FactRequest): Promise<unknown[]> {
    if (this.pick(0, 0, 0, 0, 1)) throw new Error('The model is out.');
    this.receivedIds.push(...turns.map(({ id }) => id), ...known.map(({ id }) => id));
    const anyId = () =>
      this.pick('unknown', ...this.receivedIds, ...turns.map(({ id }) => id), ...known.map(({ id }) => id));
    const owner = turns[0]!.text.split(' ')[0];
    return Array.from({ length: this.pick(0, 1, 2, 5) }, () => ({
      op: this.pick('add', 'add', 'supersede', 'drop', 'explode'),
      text: this.pick('', `${owner} likes ${this.pick('tea', 'rum', 'jazz', 'dogs')}.`),
      fact: anyId(),
      duplicateOf: anyId(),
      evidence: this.pick<unknown>(
        undefined,
        [],
        [anyId()],
        [turns[0]!.id],
        [turns[0]!.id, ...before.map(({ id }) => id)],
      ),
      ...this.pick({}, { since: 5 }, { since: 'soon' }),
    }));
  }
}

describe('FactMemoryService with a hostile extractor', () => {
  it.each([1, 2, 3, 4].slice(0, randomCases(1, 4)))(
    'keeps only facts of existing turns of the same user (seed %i)',
    async (seed) => {
      const runtime = new FixedRuntime({ seed });
      const extractor = new HostileExtractor(runtime);
      const memory = new FactMemoryService({ memory: new InMemoryMemoryService({ runtime }), extractor, runtime });
      const all = async (user: typeof ann, kinds: MemoryEntry['kind'][]) =>
        (await memory.listMemories({ ...user, limit: 10_000, filter: { kinds } })).memories;
      const deleted = new Set<string>();

      for (let step = 0; step < STEPS; step++) {
        const user = extractor.pick(ann, bob);
        const sessionId = extractor.pick('s1', 's2');
        const entries = await all(user, ['turn', 'fact']);
        const chosen = entries.length > 0 ? extractor.pick(...entries) : undefined;
        switch (extractor.pick('say', 'say', 'say', 'say', 'make', 'make', 'forget', 'keep')) {
          case 'say': {
            const author = extractor.pick('user', 'user', 'helper');
            const event = textEvent(author, `e${step}`, `${user.userId} speaks ${step}`, runtime.now() + step);
            await memory.addEventsToMemory({ ...user, sessionId, events: [event] });
            break;
          }
          case 'make':
            await memory.makeFacts(user).catch((error: Error) => {
              expect(error).toMatchObject({ code: 'MODEL_FAILED', cause: { message: 'The model is out.' } });
            });
            break;
          case 'forget':
            if (!chosen) break;
            for (const id of [chosen.id, ...(chosen.evidence ?? [])]) deleted.add(id);
            await memory.deleteMemory({ ...user, ids: [chosen.id] });
            break;
          case 'keep':
            if (chosen?.kind === 'fact') await memory.deleteMemory({ ...user, ids: [chosen.id], keepEvidence: true });
        }
        for (const each of [ann, bob]) {
          const turns = new Set((await all(each, ['turn'])).map(({ id }) => id));
          const facts = await all(each, ['fact']);
          for (const { evidence = [], content, validFrom = 0, validTo, supersededBy } of facts) {
            expect(evidence.length).toBeGreaterThan(0);
            expect(evidence.filter((id) => !turns.has(id))).toEqual([]);
            expect(evidence.filter((id) => deleted.has(id))).toEqual([]);
            expect(textOf(content)).toMatch(new RegExp(`^${each.userId} likes \\w+\\.$`));
            expect((validTo === undefined) === (supersededBy === undefined)).toBe(true);
            expect(validTo ?? Infinity).toBeGreaterThanOrEqual(validFrom);
          }
          const currentTexts = facts
            .filter(({ supersededBy }) => supersededBy === undefined)
            .map(({ content }) => textOf(content));
          expect(new Set(currentTexts).size, 'no fact exists twice').toBe(currentTexts.length);
        }
      }
      // After enough calls without a failure, facts of all turns are extracted.
      let report;
      do report = await memory.makeFacts(ann).catch(() => undefined);
      while (report?.turns !== 0);
      expect(report).toEqual({ turns: 0, added: 0, superseded: 0, dropped: 0, rejected: 0 });
    },
  );
});
