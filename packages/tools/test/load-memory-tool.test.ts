import type { JsonObject, MemoryEntry, MemoryService, SearchMemoryRequest, TimeZoneOption } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm, toolContextFor } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { loadMemoryTool } from '../src/index.ts';
import type { LoadMemoryToolOptions } from '../src/index.ts';

const at = (iso: string): number => Date.parse(iso) / 1000;

/** Returns the search request of the tool and its answer for these memories. */
async function load(
  args: JsonObject,
  options: LoadMemoryToolOptions = {},
  p: { memories?: MemoryEntry[]; state?: JsonObject } = {},
): Promise<{ request: SearchMemoryRequest | undefined; answer: unknown }> {
  let request: SearchMemoryRequest | undefined;
  const memoryService: MemoryService = {
    addSessionToMemory: async () => {},
    searchMemory: async (search) => {
      request = search;
      return { memories: p.memories ?? [] };
    },
  };
  const toolContext = toolContextFor({ runtime: new FixedRuntime(), memoryService, state: p.state ?? {} });
  const answer = await loadMemoryTool(options).runAsync({ args: { query: 'rooms', ...args }, toolContext });
  return { request, answer };
}

const rangeOf = async (args: JsonObject, options?: LoadMemoryToolOptions): Promise<(number | undefined)[]> => {
  const { request } = await load(args, options);
  return [request!.filter?.from, request!.filter?.to];
};

describe('load_memory', () => {
  it('returns the rounded relevance of each memory and requires 0.3 by default', async () => {
    const entry = { id: 'a', kind: 'note' as const, content: { parts: [{ text: 'A.' }] }, score: 1.23456 };
    const { answer, request } = await load({}, {}, { memories: [{ ...entry, relevance: 0.6789 }, entry] });
    expect(answer).toEqual({
      memories: [
        { text: 'A.', relevance: 0.68, score: 1.23 },
        { text: 'A.', score: 1.23 },
      ],
    });
    expect(request!.minRelevance).toBe(0.3);
    expect((await load({}, { minRelevance: 0 })).request!.minRelevance).toBe(0);
  });

  it('cuts the longest texts, so that all texts fit into maxTokens', async () => {
    const texts = ['Short.', 'x'.repeat(100_000), 'y'.repeat(1_000), 'z'.repeat(50_000)];
    const memories = texts.map((text, i) => ({ id: `${i}`, kind: 'turn' as const, content: { parts: [{ text }] } }));
    const textsOf = async (options: LoadMemoryToolOptions): Promise<string[]> => {
      const { answer } = await load({}, options, { memories });
      return (answer as { memories: { text: string }[] }).memories.map(({ text }) => text);
    };
    const [short, long, whole, other] = await textsOf({});
    expect([short, whole]).toEqual([texts[0], texts[2]]);
    expect(long).toMatch(/^x{7000,}…$/);
    expect(other).toMatch(/^z{7000,}…$/);
    expect(Buffer.byteLength(`${short}${long}${whole}${other}`)).toBeLessThanOrEqual(16_000);
    expect(await textsOf({ maxTokens: 100_000 })).toEqual(texts);
    expect((await textsOf({ maxTokens: 10 })).join('')).toBe('Short.xxxxx…yyyyy…zzzzz…');
    expect(() => loadMemoryTool({ maxTokens: 0 })).toThrow('maxTokens');
  });

  it('passes the user’s time zone to the search', async () => {
    expect((await load({}, { timeZone: 'Asia/Tokyo' })).request!.timeZone).toBe('Asia/Tokyo');
    expect((await load({})).request!.timeZone).toBeUndefined();
  });
});

describe('time range of load_memory', () => {
  it('searches all times without a range, or with empty texts', async () => {
    expect((await load({})).request!.filter).toBeUndefined();
    expect((await load({ from: '', to: ' ' })).request!.filter).toBeUndefined();
  });

  it('accepts days, months and years, including the last one, and days with a time', async () => {
    expect(await rangeOf({ from: '2026-05-30', to: '2026-05-31' })).toEqual([at('2026-05-30Z'), at('2026-06-01Z')]);
    expect(await rangeOf({ from: '2026-02', to: '2026-02' })).toEqual([at('2026-02-01Z'), at('2026-03-01Z')]);
    expect(await rangeOf({ from: '2025', to: '2026' })).toEqual([at('2025-01-01Z'), at('2027-01-01Z')]);
    expect(await rangeOf({ from: '2026-12-31T18:00', to: '2026-12-31 18:00:30' })).toEqual([
      at('2026-12-31T18:00Z'),
      at('2026-12-31T18:00:30Z'),
    ]);
    expect(await rangeOf({ to: '2024-02-29' })).toEqual([undefined, at('2024-03-01Z')]);
  });

  it('is read in the user’s time zone, in summer and winter; a given offset has priority', async () => {
    const berlin = { timeZone: 'Europe/Berlin' };
    const day = { from: '2026-07-01', to: '2026-07-01' };
    expect(await rangeOf(day, berlin)).toEqual([at('2026-06-30T22:00Z'), at('2026-07-01T22:00Z')]);
    expect(await rangeOf({ from: '2026-01' }, berlin)).toEqual([at('2025-12-31T23:00Z'), undefined]);
    const withOffsets = { from: '2026-07-01T12:00Z', to: '2026-07-01T12:00:00.5-0330' };
    expect(await rangeOf(withOffsets, berlin)).toEqual([at('2026-07-01T12:00Z'), at('2026-07-01T15:30Z')]);
    expect(await rangeOf(day, { timeZone: 'Asia/Kolkata' })).toEqual([
      at('2026-06-30T18:30Z'),
      at('2026-07-01T18:30Z'),
    ]);
  });

  it('covers the real length of a day, also when clocks change', async () => {
    const hours = async (day: string): Promise<number> => {
      const [from, to] = await rangeOf({ from: day, to: day }, { timeZone: 'Europe/Berlin' });
      return (to! - from!) / 3600;
    };
    expect([await hours('2026-03-29'), await hours('2026-10-25'), await hours('2026-10-26')]).toEqual([23, 25, 24]);
  });

  it('uses the first of two equal local times and moves a skipped one forward', async () => {
    const from = async (text: string, timeZone: string): Promise<number> =>
      (await rangeOf({ from: text }, { timeZone }))[0]!;
    expect(await from('2026-11-01T01:30', 'America/New_York')).toBe(at('2026-11-01T05:30Z'));
    expect(await from('2026-10-25T02:30', 'Europe/Berlin')).toBe(at('2026-10-25T00:30Z'));
    expect(await from('2026-03-08T02:30', 'America/New_York')).toBe(at('2026-03-08T07:30Z'));
    expect(await from('2026-03-29T02:30', 'Europe/Berlin')).toBe(at('2026-03-29T01:30Z'));
    expect(await from('2026-03-08T04:00', 'America/New_York'), 'soon after').toBe(at('2026-03-08T08:00Z'));
    expect(await from('2026-03-29T01:59', 'Europe/Berlin'), 'soon before').toBe(at('2026-03-29T00:59Z'));
  });

  it('has an end in the year 9999, which models write for no end', async () => {
    const last = at('9999-12-31T23:59:59Z');
    for (const to of ['9999', '9999-12', '9999-12-31'])
      expect(await rangeOf({ to }, { timeZone: 'America/New_York' })).toEqual([undefined, last]);
  });

  it('never extends the filter of the app', async () => {
    const filter = { author: 'user', from: at('2026-05-01Z'), to: at('2026-06-01Z') };
    expect((await load({ from: '2026-04-01', to: '2026-05-10' }, { filter })).request!.filter).toEqual({
      author: 'user',
      from: filter.from,
      to: at('2026-05-11Z'),
    });
    const outside = await load({ from: '2026-07-01' }, { filter });
    expect([outside.request, outside.answer]).toEqual([undefined, { memories: [] }]);
  });

  it.each([
    [{ from: 'yesterday' }, 'from must be a day such as 2026-05-31'],
    [{ to: '31.05.2026' }, 'to must be a day'],
    [{ from: '2026-02-30' }, 'from must be a day'],
    [{ from: '2026-13' }, 'from must be a day'],
    [{ to: '2026-05-31T24:00' }, 'to must be a day'],
    [{ from: '2026-05-31Z' }, 'from must be a day'],
    [{ from: '2026.5' }, 'from must be a day'],
    [{ to: 1780000000 }, 'to'],
    [{ from: '2026-06', to: '2026-05' }, 'from must be before to.'],
    [{ from: '2026-05-31T18:00', to: '2026-05-31T18:00' }, 'from must be before to.'],
  ])('rejects %j with the name of the member, without a search', async (args, message) => {
    const refused = { code: 'INVALID_INPUT', details: { refused: true }, message: expect.stringContaining(message) };
    await expect(load(args)).rejects.toMatchObject(refused);
  });

  it('is returned to the model if it is invalid, and the model calls again', async () => {
    const [sessionService, memoryService] = [new InMemorySessionService(), new InMemoryMemoryService()];
    const user = { appName: 'hotel', userId: 'ada' };
    const note = (text: string, day: string): MemoryEntry => ({
      id: text,
      kind: 'note',
      content: { parts: [{ text }] },
      timestamp: at(day),
    });
    const memories = [note('A room with a sea view.', '2026-05-31T21:59Z'), note('A quiet room.', '2026-05-31T22:00Z')];
    await memoryService.addMemory({ ...user, memories });
    const model = new ScriptedLlm(
      calls('load_memory', { query: 'room', to: 'last May' }, 'a'),
      calls('load_memory', { query: 'room', to: '2026-05' }, 'b'),
      says('By the sea.'),
    );
    const agent = new LlmAgent({ name: 'concierge', model, tools: [loadMemoryTool({ timeZone: 'Europe/Berlin' })] });
    const runner = new Runner({ appName: 'hotel', agent, sessionService, memoryService, autoCreateSession: true });
    const { events } = await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage: 'What did I want?' });
    const answers = events.flatMap(
      ({ content }) => content?.parts?.map((part) => part.functionResponse?.response) ?? [],
    );
    expect(answers.filter(Boolean)).toEqual([
      { error: expect.stringMatching(/^to must be a day/) },
      { memories: [expect.objectContaining({ text: 'A room with a sea view.', time: '2026-05-31T23:59:00+02:00' })] },
    ]);
  });
});

describe('number of results of load_memory', () => {
  const memories = Array.from({ length: 9 }, (_, i) => ({
    ...{ id: `m${i}`, kind: 'note' as const, content: { parts: [{ text: `Note ${i}.` }] }, timestamp: 1 },
  }));

  it('is five by default, also if a service returns more', async () => {
    for (const limit of [undefined, 1, 7]) {
      const { request, answer } = await load({}, { limit }, { memories });
      expect([request!.limit, (answer as { memories: unknown[] }).memories.length]).toEqual([limit ?? 5, limit ?? 5]);
    }
    expect(() => loadMemoryTool({ limit: 0 })).toThrow('limit must be an integer ≥ 1.');
  });

  it('is applied with the app’s minScore and filter', async () => {
    const { request } = await load({}, { minScore: 0.3, filter: { kinds: ['fact'] } });
    expect([request!.minScore, request!.filter]).toEqual([0.3, { kinds: ['fact'] }]);
  });
});

describe('loadMemoryTool', () => {
  it.each([
    [{ minRelevance: -0.1 }, 'minRelevance must be a number from 0 to 1.'],
    [{ minRelevance: '0.3' }, 'minRelevance must be a number from 0 to 1, got a string.'],
    [{ minScore: NaN }, 'minScore must be a finite number.'],
    [{ filter: [] }, 'filter must be an object, got an array.'],
  ])('rejects %j', (options, message) => {
    expect(() => loadMemoryTool(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message.slice(0, -1)) }),
    );
  });
});

describe('time zone of load_memory', () => {
  const memories: MemoryEntry[] = [
    {
      id: 'f',
      kind: 'fact',
      content: { parts: [{ text: 'Oslo' }] },
      timestamp: at('2026-07-01Z'),
      validTo: at('2026-12-01Z'),
    },
  ];
  const timesIn = async (timeZone: LoadMemoryToolOptions['timeZone'], state: JsonObject = {}): Promise<unknown> => {
    const { memories: loaded } = (await load({}, { timeZone }, { memories, state })).answer as {
      memories: JsonObject[];
    };
    return [loaded[0]!['time'], loaded[0]!['until']];
  };

  it('shows times of memories in the zone, by default in UTC', async () => {
    expect(await timesIn(undefined)).toEqual(['2026-07-01T00:00:00Z', '2026-12-01T00:00:00Z']);
    expect(await timesIn('Europe/London')).toEqual(['2026-07-01T01:00:00+01:00', '2026-12-01T00:00:00Z']);
    expect(await timesIn('America/St_Johns')).toEqual(['2026-06-30T21:30:00-02:30', '2026-11-30T20:30:00-03:30']);
  });

  it('can be read from the state of each user', async () => {
    const fromState: TimeZoneOption = ({ state }) => state?.get<string>('user:timeZone');
    expect(await timesIn(fromState, { 'user:timeZone': 'Asia/Tokyo' })).toEqual([
      '2026-07-01T09:00:00+09:00',
      '2026-12-01T09:00:00+09:00',
    ]);
    expect(await timesIn(fromState)).toEqual(['2026-07-01T00:00:00Z', '2026-12-01T00:00:00Z']);
  });

  it.each([['Mars/Olympus'], [''], [7], [null]])('cannot be %j', (timeZone) => {
    expect(() => loadMemoryTool({ timeZone: timeZone as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('timeZone') }),
    );
  });
});
