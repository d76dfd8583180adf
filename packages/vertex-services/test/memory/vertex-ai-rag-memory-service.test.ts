import { createEvent } from '@thole/core';
import { silentSpan } from '@thole/core/kit';
import type { Event, Session, Tracer } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { VertexAiRagMemoryService } from '@thole/vertex-services';
import type { VertexAiRagMemoryServiceOptions } from '@thole/vertex-services';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';
import { passTime } from '../pass-time.ts';

let server: GoogleServer;
let runtime: FixedRuntime;
let corpus = 0;
beforeAll(async () => void (server = await GoogleServer.start()));
beforeEach(() => {
  runtime = new FixedRuntime();
  server.requests.length = 0;
  corpus++;
});
afterEach(() => void (server.faults.length = 0));
afterAll(() => server.close());

function open(more: Partial<VertexAiRagMemoryServiceOptions> = {}): VertexAiRagMemoryService {
  const place = { project: 'hotel', location: 'us-central1', ragCorpus: `own-${corpus}` };
  return new VertexAiRagMemoryService({ ...place, ...server.options, runtime, ...more });
}

const ada = { appName: 'hotel', userId: 'ada' };
const files = (): { displayName: string; text: string }[] => server.rag.filesIn(`own-${corpus}`);
const namesOfFiles = (): string[] => files().map(({ displayName }) => displayName);

function userEvent(i: number, text: string): Event {
  const content = { role: 'user' as const, parts: [{ text }] };
  const event = createEvent({ author: 'user', invocationId: 'i1', content });
  return { ...event, id: `e${i}`, timestamp: 1_700_000_000 + i, seq: i };
}

function sessionOf(events: Event[], id = 's1'): Session {
  return { ...ada, id, state: {}, events, lastUpdateTime: 0 } as Session;
}

/** Returns ADK’s display name of a session. */
function adkName(...names: [appName: string, userId: string, sessionId: string]): string {
  return `adk-memory-v1.${names.map((name) => Buffer.from(name).toString('base64url')).join('.')}`;
}

async function textsOf(
  memory: VertexAiRagMemoryService,
  query: string,
  more: { userId?: string; limit?: number } = {},
): Promise<string[]> {
  const { memories } = await memory.searchMemory({ ...ada, query, limit: 1000, ...more });
  return memories.map(({ content }) => content.parts![0]!.text!);
}

describe('VertexAiRagMemoryService.addSessionToMemory', () => {
  it('uploads one file of JSON lines with ADK’s display name', async () => {
    await open().addSessionToMemory(sessionOf([userEvent(1, 'I love tea.'), userEvent(2, 'And\n"cake".')]));
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada', 's1')]);
    expect(
      files()[0]!
        .text.split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { author: 'user', timestamp: 1_700_000_001, text: 'I love tea.', id: 'e1', seq: 1, role: 'user' },
      { author: 'user', timestamp: 1_700_000_002, text: 'And\n"cake".', id: 'e2', seq: 2, role: 'user' },
    ]);
  });

  it('encodes ambiguous names and names that are too long', async () => {
    const memory = open();
    const users = ['a.b', 'a', 'ada lovelace', 'x'.repeat(300), '~a', 'é'];
    for (const [i, userId] of users.entries()) {
      const session = { ...sessionOf([userEvent(i, `Tea ${i}.`)], i === 1 ? 'b.s1' : 's.1'), userId };
      await memory.addSessionToMemory(session);
    }
    expect(new Set(namesOfFiles()).size).toBe(users.length);
    for (const name of namesOfFiles()) expect(name.length).toBeLessThanOrEqual(128);
    for (const [i, userId] of users.entries()) {
      const { memories } = await memory.searchMemory({ ...ada, userId, query: 'tea' });
      expect(memories.map(({ eventId, sessionId }) => [eventId, sessionId])).toEqual([
        [`e${i}`, i === 1 ? 'b.s1' : 's.1'],
      ]);
    }
  });

  it('replaces the file of a session that has grown', async () => {
    const memory = open();
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.')]));
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.'), userEvent(2, 'More tea.')]));
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada', 's1')]);
    expect(await textsOf(memory, 'tea')).toEqual(['Tea.', 'More tea.']);
  });

  it('keeps turns that a later window of the session does not have', async () => {
    const memory = open();
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.'), userEvent(2, 'More tea.')]));
    await memory.addSessionToMemory(sessionOf([userEvent(2, 'More tea.'), userEvent(3, 'Even more tea.')]));
    expect(await textsOf(memory, 'tea')).toEqual(['Tea.', 'More tea.', 'Even more tea.']);
    await memory.addSessionToMemory(
      sessionOf([userEvent(1, 'Tea.'), userEvent(2, 'More tea.'), userEvent(3, 'Even more tea.')]),
    );
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada', 's1')]);
  });

  it('uploads a session only once if it is added twice, also by two instances', async () => {
    const session = sessionOf([userEvent(1, 'Tea.')]);
    await Promise.all([1, 2].map(() => open().addSessionToMemory(session)));
    await open().addSessionToMemory(session);
    expect(await textsOf(open(), 'tea')).toEqual(['Tea.']);
    const count = server.requestsOn('ragFiles:upload').length;
    await open().addSessionToMemory(session);
    expect(server.requestsOn('ragFiles:upload')).toHaveLength(count);
  });

  it('uploads a session once if the answer is lost', async () => {
    server.faults.push({ on: 'ragFiles:upload', afterWork: true, answer: 'cut' });
    await passTime(runtime, open().addSessionToMemory(sessionOf([userEvent(1, 'Tea.')])));
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada', 's1')]);
  });

  it('throws the error of an upload whose answer has status 200', async () => {
    server.rag.uploadError = 'The file is empty.';
    await expect(open().addSessionToMemory(sessionOf([userEvent(1, 'Tea.')]))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'Vertex AI RAG Engine could not import the file of a session.',
      cause: { message: 'The file is empty.' },
    });
  });
});

describe('VertexAiRagMemoryService.searchMemory', () => {
  it('searches only files of the app and the user, with the options of the service', async () => {
    const memory = open({ similarityTopK: 2, vectorDistanceThreshold: 0.65 });
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.')]));
    await memory.addSessionToMemory({ ...sessionOf([userEvent(2, 'Tea too.')]), userId: 'bob' });
    await memory.addSessionToMemory({ ...sessionOf([userEvent(3, 'Tea as well.')]), appName: 'airline' });
    expect(await textsOf(memory, 'tea')).toEqual(['Tea.']);
    const name = `projects/hotel/locations/us-central1/ragCorpora/own-${corpus}`;
    expect(server.requestsOn(':retrieveContexts')[0]!.json).toEqual({
      vertexRagStore: {
        ragResources: [{ ragCorpus: name, ragFileIds: [expect.stringMatching(/^\d+$/)] }],
        vectorDistanceThreshold: 0.65,
      },
      query: { text: 'tea', ragRetrievalConfig: { topK: 2 } },
    });
  });

  it('has the defaults of ADK’s example: 5 passages within a distance of 0.7', async () => {
    const memory = open();
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.')]));
    expect(await textsOf(memory, 'helicopter')).toEqual([]);
    expect(server.requestsOn(':retrieveContexts')[0]!.json).toMatchObject({
      vertexRagStore: { vectorDistanceThreshold: 0.7 },
      query: { ragRetrievalConfig: { topK: 5 } },
    });
  });

  it('ignores passages of another user in an answer', async () => {
    const memory = open();
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.')]));
    const text = JSON.stringify({ author: 'user', timestamp: 1, text: 'Secret.' });
    const names = [
      ...[
        'hotel.bob.s1',
        'hotel.adam.s1',
        'airline.ada.s1',
        'hotel.ada.s.1',
        'hotel.ada.',
        'adk-memory-v1.hotel.ada.s1',
      ],
      ...[adkName('hotel', 'bob', 's1'), adkName('hotel', 'adam', 's1'), `${adkName('hotel', 'ada', 's')}.1`, ''],
    ];
    const contexts = names.map((sourceDisplayName) => {
      return { sourceDisplayName, text, distance: 0.1 };
    });
    server.faults.push({ on: ':retrieveContexts', answer: { json: { contexts: { contexts } } } });
    expect(await textsOf(memory, 'tea')).toEqual([]);
  });

  it('merges overlapping passages of one session in order, without repetitions', async () => {
    const memory = open({ similarityTopK: 50 });
    const events = Array.from({ length: 60 }, (_, i) => userEvent(i, `Tea number ${i}: ${'leaf '.repeat(30)}`));
    await memory.addSessionToMemory(sessionOf(events));
    const { memories } = await memory.searchMemory({ ...ada, query: 'tea leaf', limit: 1000 });
    expect(memories.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id));
    expect(new Set(memories.map(({ score }) => score)).size).toBe(1);
  });

  it('does not merge distant passages of a session', async () => {
    const memory = open({ similarityTopK: 1 });
    const events = Array.from({ length: 80 }, (_, i) =>
      userEvent(i, `${i === 70 ? 'Olives' : 'Tea'} ${'leaf '.repeat(30)}`),
    );
    await memory.addSessionToMemory(sessionOf(events));
    const found = await textsOf(memory, 'olives');
    expect(found.length).toBeLessThan(40);
    expect(found.some((text) => text.startsWith('Olives'))).toBe(true);
  });

  it('returns the complete text of a turn that is longer than a passage', async () => {
    const memory = open({ similarityTopK: 50 });
    const long = Array.from({ length: 3000 }, (_, i) => `tea ${i}😀`).join(' ');
    await memory.addSessionToMemory(sessionOf([userEvent(1, long), userEvent(2, 'Cake.')]));
    const [text, ...others] = await textsOf(memory, 'tea cake');
    expect(text === long).toBe(true);
    expect(others).toEqual(['Cake.']);
    const [part] = await textsOf(open({ similarityTopK: 1 }), '2000😀');
    expect(part).toMatch(/^ … .*2000😀/);
  });

  it('reads files that ADK uploaded, with current and older names', async () => {
    const line = (text: string): string => JSON.stringify({ author: 'user', timestamp: '1700000001.5', text });
    server.rag.put(`own-${corpus}`, 'hotel.ada.s6', [line('I love tea.'), 'not JSON', '{"author":7}'].join('\n'));
    server.rag.put(`own-${corpus}`, adkName('hotel', 'ada', 'é.7'), line('Tea for two.'));
    const { memories } = await open().searchMemory({ ...ada, query: 'tea' });
    const found = memories.map(({ sessionId, content, author, timestamp }) => [
      ...[sessionId, content.parts![0]!.text, author, timestamp],
    ]);
    expect(found.sort(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ['é.7', 'Tea for two.', 'user', 1_700_000_001.5],
      ['s6', 'I love tea.', 'user', 1_700_000_001.5],
    ]);
    expect(await open().deleteSessionMemory({ ...ada, sessionId: 's6' })).toBe(1);
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada', 'é.7')]);
  });

  it('reads all pages of files', async () => {
    const memory = open();
    for (let i = 0; i < 101; i++) server.rag.put(`own-${corpus}`, `hotel.bob.s${i}`, '');
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.')]));
    expect(await textsOf(memory, 'tea')).toEqual(['Tea.']);
    expect(server.requestsOn('GET', '/ragFiles').at(-1)!.query.get('pageToken')).toBe('page-100');
  });
});

describe('VertexAiRagMemoryService.deleteUserMemory', () => {
  it('deletes the files of a session or of a user and counts their turns', async () => {
    const memory = open();
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.'), userEvent(2, 'Cake.')]));
    await memory.addSessionToMemory(sessionOf([userEvent(3, 'Tea.')], 's10'));
    await memory.addSessionToMemory({ ...sessionOf([userEvent(4, 'Tea.')]), userId: 'ada2' });
    expect(await memory.deleteSessionMemory({ ...ada, sessionId: 's1' })).toBe(2);
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada', 's10'), adkName('hotel', 'ada2', 's1')]);
    expect(await memory.deleteUserMemory(ada)).toBe(1);
    expect(await memory.deleteUserMemory(ada)).toBe(0);
    expect(namesOfFiles()).toEqual([adkName('hotel', 'ada2', 's1')]);
  });
});

describe('VertexAiRagMemoryService', () => {
  it('names a corpus that does not exist', async () => {
    const message =
      'The RAG corpus projects/hotel/locations/us-central1/ragCorpora/missing-1 does not exist. Create it, or check ragCorpus, the project and the location.';
    const memory = open({ ragCorpus: 'missing-1' });
    for (const call of [
      () => memory.searchMemory({ ...ada, query: 'tea' }),
      () => memory.addSessionToMemory(sessionOf([userEvent(1, 'Tea.')])),
      () => memory.deleteUserMemory(ada),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: false, message });
  });

  it('uses the project and the location of a full corpus name', async () => {
    const ragCorpus = 'projects/inn/locations/europe-west1/ragCorpora/5';
    await open({ ragCorpus }).searchMemory({ ...ada, query: 'tea' });
    expect(server.requestsOn('GET', '/ragFiles')[0]!.path).toBe(`/v1beta1/${ragCorpus}/ragFiles`);
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [
      { ragCorpus: undefined },
      { ragCorpus: 'a/b' },
      { ragCorpus: 'projects/p/locations/evil.test#/ragCorpora/1' },
      { similarityTopK: 0 },
      { vectorDistanceThreshold: 0 },
      { vectorDistanceThreshold: '0.7' },
      { topK: 5 },
    ])
      expect(() => open(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('retrieval span of VertexAiRagMemoryService', () => {
  it.each([false, true])('names the corpus, the limit and the server, with content %s', async (capturesContent) => {
    const started: [name: string, attributes: object][] = [];
    const set: object[] = [];
    const tracer: Tracer = {
      capturesContent,
      start(name, attributes = {}) {
        started.push([name, attributes]);
        return { ...silentSpan, isSilent: false, set: (more) => void set.push(more) };
      },
    };
    const memory = open({ runtime: new FixedRuntime({ tracer }) });
    await memory.addSessionToMemory(sessionOf([userEvent(1, 'I love tea.')]));
    expect(started).toEqual([]);
    await memory.searchMemory({ ...ada, query: 'tea' });
    const name = `projects/hotel/locations/us-central1/ragCorpora/own-${corpus}`;
    expect(started).toEqual([
      [
        `retrieval ${name}`,
        {
          'gen_ai.operation.name': 'retrieval',
          'gen_ai.data_source.id': name,
          'gen_ai.provider.name': 'gcp.vertex_ai',
          'gen_ai.retrieval.top_k': 5,
          'server.address': 'us-central1-aiplatform.googleapis.com',
          'server.port': 443,
          'gen_ai.retrieval.query.text': capturesContent ? 'tea' : undefined,
        },
      ],
    ]);
    const documents = (set[0] as Record<string, string | undefined>)['gen_ai.retrieval.documents'];
    if (capturesContent) expect(JSON.parse(documents!)).toMatchObject([{ id: adkName('hotel', 'ada', 's1') }]);
    else expect(documents).toBeUndefined();
  });
});
