import { createEvent } from '@thole/core';
import type { Event, JsonObject, Session } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { VertexAiMemoryBankService } from '@thole/vertex-services';
import type { VertexAiMemoryBankServiceOptions } from '@thole/vertex-services';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';
import { passTime } from '../pass-time.ts';

let server: GoogleServer;
let runtime: FixedRuntime;
let engine = 900;
beforeAll(async () => void (server = await GoogleServer.start()));
beforeEach(() => {
  runtime = new FixedRuntime({ now: 2_000_000_000 });
  server.requests.length = 0;
  engine++;
});
afterEach(() => {
  server.faults.length = 0;
  server.operations.reads = 1;
});
afterAll(() => server.close());

function open(more: VertexAiMemoryBankServiceOptions = {}): VertexAiMemoryBankService {
  const place = { project: 'hotel', location: 'us-central1', agentEngineId: `${engine}` };
  return new VertexAiMemoryBankService({ ...place, ...server.options, runtime, ...more });
}

const ada = { appName: 'hotel', userId: 'ada' };
const scope = { app_name: 'hotel', user_id: 'ada' };

function userEvent(id: string, text: string): Event {
  const content = { role: 'user' as const, parts: [{ text }] };
  return { ...createEvent({ author: 'user', invocationId: 'i1', content }), id, timestamp: 1_700_000_000 };
}

function sessionOf(...events: Event[]): Session {
  return { ...ada, id: 's1', state: {}, events, lastUpdateTime: 0 } as Session;
}

function sentBodies(verb: string): JsonObject[] {
  return server.requestsOn('POST', verb).map(({ json }) => json as JsonObject);
}

describe('VertexAiMemoryBankService.addSessionToMemory', () => {
  it('ingests the events with their ids, times and the scope of ADK', async () => {
    await open().addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.'), userEvent('e2', 'And cake.')));
    expect(sentBodies(':ingestEvents')).toEqual([
      {
        streamId: 's1',
        scope,
        directContentsSource: {
          events: ['I love tea.', 'And cake.'].map((text, i) => ({
            content: { role: 'user', parts: [{ text }] },
            eventId: `e${i + 1}`,
            eventTime: '2023-11-14T22:13:20.000000Z',
          })),
        },
      },
    ]);
  });

  it('passes keys for ingestion from the call or the service', async () => {
    const service = open({ customMetadata: { force_flush: true } });
    await service.addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.')));
    await service.addSessionToMemory(sessionOf(userEvent('e2', 'And cake.')), {
      customMetadata: { stream_id: 'x', generation_trigger_config: { generationRule: { eventCount: 5 } } },
    });
    expect(sentBodies(':ingestEvents')).toMatchObject([
      { streamId: 's1', forceFlush: true },
      { streamId: 'x', generationTriggerConfig: { generationRule: { eventCount: 5 } } },
    ]);
  });

  it('generates memories with keys that only generation has', async () => {
    await open().addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.')), {
      customMetadata: {
        ...{ ttl: '3600s', revision_labels: { source: 'chat' }, disable_consolidation: true, topic: 'food', level: 3 },
        allowed_topics: [{ customMemoryTopicLabel: 'food' }],
      },
    });
    expect(sentBodies(':ingestEvents')).toEqual([]);
    expect(sentBodies(':generate')).toEqual([
      {
        ...{ scope, revisionTtl: '3600s', revisionLabels: { source: 'chat' }, disableConsolidation: true },
        allowedTopics: [{ customMemoryTopicLabel: 'food' }],
        metadata: { topic: { stringValue: 'food' }, level: { doubleValue: 3 } },
        directContentsSource: { events: [{ content: { role: 'user', parts: [{ text: 'I love tea.' }] } }] },
      },
    ]);
  });

  it('sends unknown keys as typed metadata, and keeps the type of typed values', async () => {
    const since = '2026-11-25T10:00:00Z';
    const metadata = { since: { timestamp_value: since }, until: { timestampValue: since }, vip: true };
    await open().addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.')), {
      customMetadata: { metadata, place: { city: 'Rome' }, level: { double_value: 3 } },
    });
    expect(sentBodies(':generate')).toMatchObject([
      {
        metadata: {
          since: { timestampValue: since },
          until: { timestampValue: since },
          vip: { boolValue: true },
          place: { stringValue: '{"city":"Rome"}' },
          level: { doubleValue: 3 },
        },
      },
    ]);
  });

  it('sends metadata with a name that objects inherit', async () => {
    const customMetadata = JSON.parse('{"__proto__": "mine", "metadata": {"__proto__": "yours"}}') as JsonObject;
    await open().addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.')), { customMetadata });
    const [body] = sentBodies(':generate');
    expect(JSON.stringify(body?.['metadata'])).toBe('{"__proto__":{"stringValue":"yours"}}');
  });

  it('waits for generation only with wait_for_completion', async () => {
    server.operations.reads = 3;
    const session = sessionOf(userEvent('e1', 'I love tea.'));
    await open().addSessionToMemory(session, { customMetadata: { revision_ttl: 60 } });
    expect(server.requestsOn('GET', '/operations/')).toHaveLength(0);
    const customMetadata = { revision_ttl: 60, wait_for_completion: true };
    await passTime(runtime, open().addSessionToMemory(session, { customMetadata }));
    expect(server.requestsOn('GET', '/operations/')).toHaveLength(3);
  });

  it('rejects keys of the wrong type and keys of two requests together', async () => {
    for (const [customMetadata, message] of [
      [{ ttl: 'soon' }, /customMetadata.ttl must be a finite number of seconds above 0 or a string such as "3600s"/],
      [{ ttl: Infinity }, /customMetadata.ttl must be a finite number of seconds above 0/],
      [{ ttl: Number.NaN }, /customMetadata.ttl must be a finite number of seconds above 0/],
      [{ force_flush: 1 }, /customMetadata.force_flush must be a boolean/],
      [{ http_options: {} }, 'customMetadata.http_options is not supported. Set timeoutMs of the service.'],
      [
        { force_flush: true, ttl: 60 },
        /customMetadata.force_flush and customMetadata.ttl belong to different requests/,
      ],
    ] as const)
      await expect(
        open().addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.')), { customMetadata }),
      ).rejects.toThrow(message);
    expect(server.requests).toEqual([]);
  });
});

describe('VertexAiMemoryBankService.addMemory', () => {
  it('sends at most five facts in one request with enable_consolidation', async () => {
    const memories = Array.from({ length: 12 }, (_, i) => ({
      ...{ kind: 'fact' as const, content: { parts: [{ text: `Fact ${i}.` }] } },
    }));
    await open().addMemory({ ...ada, memories, customMetadata: { enable_consolidation: true } });
    const sizes = sentBodies(':generate').map(({ directMemoriesSource }) => {
      return (directMemoriesSource as { directMemories: object[] }).directMemories.length;
    });
    expect(sizes).toEqual([5, 5, 2]);
  });

  it('writes keys of a memory, and replaces its expiry by ttl', async () => {
    const memories = [
      { kind: 'fact' as const, content: { parts: [{ text: 'Likes tea.' }] }, expiresAt: 2_000_000_060 },
    ];
    const customMetadata = { ttl: 60, display_name: 'Tea', topics: [{ customMemoryTopicLabel: 'food' }], source: 'x' };
    await open().addMemory({ ...ada, memories, customMetadata });
    const [{ metadata, ...body }] = sentBodies('/memories') as [JsonObject];
    expect(body).toEqual({
      ...{ fact: 'Likes tea.', scope, ttl: '60s', displayName: 'Tea' },
      topics: [{ customMemoryTopicLabel: 'food' }],
    });
    expect(metadata).toMatchObject({ source: { stringValue: 'x' } });
  });

  it('uses memory_id as the id of its only entry', async () => {
    const service = open();
    const customMetadata = { memory_id: 'tea-1' };
    const [added] = await service.addMemory({ ...ada, memory: 'Likes tea.', customMetadata });
    expect(added!.id).toBe('tea-1');
    expect(server.requestsOn('POST', '/memories')[0]!.query.get('memoryId')).toBe('tea-1');
    await service.addMemory({ ...ada, memory: 'Likes green tea.', customMetadata });
    expect((await service.getMemory({ ...ada, id: 'tea-1' }))?.content.parts).toEqual([{ text: 'Likes green tea.' }]);
    const memories = ['a', 'b'].map((text) => ({ kind: 'note' as const, content: { parts: [{ text }] } }));
    await expect(service.addMemory({ ...ada, memories, customMetadata })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'customMetadata.memory_id needs exactly one entry.',
    });
  });

  it('does not change the memory of another user whose memory_id is the same', async () => {
    const service = open();
    const customMetadata = { memory_id: 'tea-1' };
    await service.addMemory({ ...ada, memory: 'Likes tea.', customMetadata });
    await expect(
      service.addMemory({ ...ada, userId: 'bob', memory: 'Hates tea.', customMetadata }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'customMetadata.memory_id is the id of a memory of another user or scope.',
    });
    expect(server.memory.factsIn(`${engine}`)).toEqual(['Likes tea.']);
  });

  it('stores an entry once if the answer is lost', async () => {
    server.faults.push({ on: 'POST /memories', afterWork: true, answer: 'cut' });
    await passTime(runtime, open().addMemory({ ...ada, memory: 'Likes tea.' }));
    expect(server.memory.factsIn(`${engine}`)).toEqual(['Likes tea.']);
  });
});

describe('VertexAiMemoryBankService.searchMemory', () => {
  it('returns facts that the service extracted, with their topics and metadata', async () => {
    const service = open();
    const customMetadata = { topic: 'food', strict: true };
    await service.addSessionToMemory(sessionOf(userEvent('e1', 'I love tea.')), { customMetadata });
    const [fact] = (await service.searchMemory({ ...ada, query: 'tea' })).memories;
    expect(fact).toMatchObject({
      ...{ kind: 'fact', content: { parts: [{ text: 'I love tea.' }] }, customMetadata },
      id: expect.stringMatching(/^\d+$/) as string,
    });
    expect(await service.getMemory({ ...ada, id: fact!.id })).toMatchObject({ id: fact!.id });
    expect(await service.deleteMemory({ ...ada, ids: [fact!.id] })).toBe(1);
    expect((await service.searchMemory({ ...ada, query: 'tea' })).memories).toEqual([]);
  });

  it('requests topK results, or the limit of the call up to 100', async () => {
    const service = open({ topK: 7 });
    await service.searchMemory({ ...ada, query: 'tea' });
    await service.searchMemory({ ...ada, query: 'tea', limit: 250 });
    expect(sentBodies(':retrieve').map((body) => body['similaritySearchParams'])).toEqual([
      { searchQuery: 'tea', topK: 7 },
      { searchQuery: 'tea', topK: 100 },
    ]);
  });

  it('ignores memories of another scope in an answer', async () => {
    const service = open();
    const foreign = {
      ...{ name: 'projects/1/locations/l/reasoningEngines/1/memories/9', fact: 'Secret.' },
      ...{ scope: { ...scope, user_id: 'bob' }, createTime: '2026-01-01T00:00:00Z' },
    };
    server.faults.push({
      on: ':retrieve',
      answer: { json: { retrievedMemories: [{ memory: foreign, distance: 0 }] } },
    });
    expect((await service.searchMemory({ ...ada, query: 'tea' })).memories).toEqual([]);
  });
});

describe('VertexAiMemoryBankService.deleteUserMemory', () => {
  it('deletes all memories of the user with one request', async () => {
    const service = open();
    await service.addMemory({ ...ada, memory: 'Likes tea.' });
    await service.addMemory({ ...ada, userId: 'bob', memory: 'Likes cake.' });
    expect(await service.deleteUserMemory(ada)).toBe(1);
    expect(server.memory.factsIn(`${engine}`)).toEqual(['Likes cake.']);
    expect(sentBodies(':purge')).toEqual([
      { filter: 'scope="{\\"app_name\\":\\"hotel\\",\\"user_id\\":\\"ada\\"}"', force: true },
    ]);
  });
});

describe('VertexAiMemoryBankService', () => {
  it('names the settings to check if the Agent Engine does not exist', async () => {
    server.sessions.missingEngines.add(`${engine}`);
    const name = `projects/hotel/locations/us-central1/reasoningEngines/${engine}`;
    await expect(open().searchMemory({ ...ada, query: 'tea' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message: `Vertex AI does not find the resource. Google's message: The ReasoningEngine ${name} is not found. Check its id, the project and the location.`,
    });
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [{ topK: 0 }, { customMetadata: 7 }, { customMetadata: { ttl: true } }, { top: 3 }])
      expect(() => open(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
