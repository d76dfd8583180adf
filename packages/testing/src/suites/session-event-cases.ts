import assert from 'node:assert/strict';
import type { Event, EventActions } from '@thole/core';
import {
  append,
  eventOf,
  jsonValues,
  createSession,
  numbers,
  notJson,
  read,
  refTo,
  rejectsWith,
  same,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** The members of a stored event. The compiler rejects `everything` without one of them. */
type EveryMember = Required<Omit<Event, 'actions' | 'partial' | 'seq'>> & { actions: Required<EventActions> };

/** An event with every member, and some members that a newer version may add. */
const everything: EveryMember = {
  id: 'e1',
  invocationId: 'invocation',
  author: 'agent',
  timestamp: 1_700_000_001.234,
  branch: 'root.child.branch-1',
  nodeInfo: { path: 'plan/loop/writer#2', runId: 'r1' },
  longRunningToolIds: ['call-1'],
  content: {
    role: 'model',
    parts: [
      { text: 'thinking', thought: true, thoughtSignature: 'c2lnbmF0dXJl_-' },
      { text: '' },
      { functionCall: { id: 'call-1', name: 'weather', args: { city: 'Riga', empty: {}, none: null } } },
      { functionResponse: { id: 'call-0', name: 'weather', response: { result: [1, 'two', null] } } },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=', displayName: 'dot.png' } },
      { fileData: { fileUri: 'gs://bucket/file', mimeType: 'text/plain' } },
      { executableCode: { code: 'print(1)', language: 'PYTHON' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
      { partMetadata: { provider: 'some', raw: { id: 'rs_1' } }, text: 'with metadata' },
    ],
  },
  turnComplete: true,
  finishReason: 'SOMETHING_NEW',
  errorCode: 'MODEL_BLOCKED',
  errorMessage: 'blocked',
  interrupted: false,
  usageMetadata: {
    promptTokenCount: 1,
    candidatesTokenCount: 2,
    totalTokenCount: 6,
    cachedContentTokenCount: 0,
    thoughtsTokenCount: 3,
    toolUsePromptTokenCount: 0,
  },
  groundingMetadata: { webSearchQueries: ['q'], chunks: [{ web: { uri: 'https://example.com' } }] },
  citationMetadata: { citations: [{ startIndex: 0 }] },
  inputTranscription: { text: 'heard', finished: true },
  outputTranscription: { text: 'said', finished: false },
  modelVersion: 'model-1.0',
  customMetadata: { a: 1, b: { c: [null] } },
  actions: {
    stateDelta: { a: 1, 'user:b': { c: null }, 'app:d': [1] },
    artifactDelta: { 'file.txt': 0, 'user:photo.png': 3 },
    requestedAuthConfigs: { 'call-1': { scheme: 'oauth2' } },
    requestedToolConfirmations: { 'call-1': { hint: 'Sure?', payload: { amount: 5 } } },
    skipSummarization: false,
    transferToAgent: 'other',
    escalate: true,
    compaction: {
      startSeq: 1,
      endSeq: 2,
      eventIds: ['x', 'y'],
      compactedContent: { role: 'model', parts: [{ text: 'so far' }] },
    },
    endOfAgent: true,
    agentState: { step: 2 },
    rewindBeforeInvocationId: 'earlier',
  },
};

/** Members, values and size limits of stored events. */
export const sessionEventCases: readonly SessionCase[] = [
  {
    id: 'event.every-member',
    sentence: 'returns every member of an event, its actions and its parts unchanged',
    contracts: [15],
    async check(service) {
      await createSession(service);
      await append(service, refTo(), everything);
      same((await read(service)).events, [{ ...everything, seq: 1 }]);
    },
  },
  {
    id: 'event.unknown-members',
    sentence: 'returns unknown members of an event, its actions, content and parts unchanged',
    contracts: [15],
    async check(service) {
      await createSession(service);
      const event = eventOf('e1', {
        newer: { a: [1] },
        content: { role: 'model', parts: [{ text: 't', videoMetadata: { fps: 2 } }], newer: 1 },
        actions: { newer: { b: null } },
      } as object);
      await append(service, refTo(), event);
      same((await read(service)).events, [{ ...event, seq: 1 }]);
    },
  },
  {
    id: 'event.no-content',
    sentence: 'returns no content for an event without content, and empty parts for empty parts',
    contracts: [15],
    async check(service) {
      await createSession(service);
      await append(
        service,
        refTo(),
        eventOf('e1', { content: undefined }),
        eventOf('e2', { content: { role: 'user', parts: [] } }),
      );
      const [without, empty] = (await read(service)).events;
      assert.equal('content' in without!, false);
      same(empty!.content, { role: 'user', parts: [] });
    },
  },
  {
    id: 'event.undefined-is-absent',
    sentence: 'treats a member that is undefined as absent, at every depth',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const event = eventOf('e1', {
        branch: undefined,
        customMetadata: { a: undefined, b: { c: undefined } } as never,
        actions: { escalate: undefined },
      });
      await append(service, refTo(), event);
      const [stored] = (await read(service)).events;
      same(stored!.customMetadata, { b: {} });
      assert.equal('branch' in stored!, false);
      assert.equal('escalate' in stored!.actions, false);
    },
  },
  {
    id: 'event.maps',
    sentence: 'always returns the four maps of the actions',
    contracts: [15],
    async check(service) {
      await createSession(service);
      await append(service, refTo(), { ...eventOf('e1'), actions: {} as Event['actions'] });
      same((await read(service)).events[0]!.actions, {
        stateDelta: {},
        artifactDelta: {},
        requestedAuthConfigs: {},
        requestedToolConfirmations: {},
      });
    },
  },
  {
    id: 'event.json-values',
    sentence: 'returns unusual JSON unchanged: NUL, lone surrogates, empty keys, extreme numbers',
    contracts: [5, 15],
    async check(service) {
      await createSession(service);
      const metadata = { ...jsonValues, '': 'empty key', 'a.b': 1, $ref: 1, 'a b': 1 };
      await append(service, refTo(), eventOf('e1', { customMetadata: metadata }));
      same((await read(service)).events[0]!.customMetadata, metadata);
    },
  },
  {
    id: 'event.prototype-keys',
    sentence: 'treats __proto__ and constructor in an event as plain keys',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const metadata = JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      ) as never;
      await append(service, refTo(), eventOf('e1', { customMetadata: metadata }));
      const [stored] = (await read(service)).events;
      same(JSON.stringify(stored!.customMetadata), JSON.stringify(metadata));
      assert.equal(({} as { polluted?: boolean }).polluted, undefined);
      assert.equal((stored!.customMetadata as { polluted?: boolean }).polluted, undefined);
    },
  },
  {
    id: 'event.not-json',
    sentence: 'throws INVALID_INPUT with the path for a value that is not JSON; stores nothing',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const places: [path: string, (value: never) => Event][] = [
        ['event.customMetadata', (value) => eventOf('e1', { customMetadata: { a: value } })],
        [
          'event.content',
          (value) => eventOf('e1', { content: { parts: [{ functionCall: { name: 'f', args: { a: value } } }] } }),
        ],
        ['event.actions.stateDelta', (value) => eventOf('e1', { actions: { stateDelta: { a: value } } })],
        ['event.actions.agentState', (value) => eventOf('e1', { actions: { agentState: { a: value } } })],
        [
          'event.actions.requestedAuthConfigs',
          (value) => eventOf('e1', { actions: { requestedAuthConfigs: { a: value } } }),
        ],
      ];
      for (const [kind, value] of notJson()) {
        for (const [path, make] of places) {
          const error = await rejectsWith(
            'INVALID_INPUT',
            service.appendEvent({ session: refTo(), event: make(value as never) }),
            `${kind} in ${path}`,
          );
          assert.ok(
            error.message.startsWith(path),
            `${kind}: the message must name ${path}, but it is: ${error.message}`,
          );
        }
      }
      same((await read(service)).lastSeq, 0);
    },
  },
  {
    id: 'event.depth',
    sentence: 'stores a value with 100 levels and rejects one with 101',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const levels = (count: number): never => {
        let value: unknown = 'bottom';
        for (let i = 0; i < count; i++) value = { a: value };
        return value as never;
      };
      await append(service, refTo(), eventOf('e1', { actions: { stateDelta: { deep: levels(100) } } }));
      same((await read(service)).state['deep'], levels(100));
      await rejectsWith(
        'INVALID_INPUT',
        service.appendEvent({
          session: refTo(),
          event: eventOf('e2', { actions: { stateDelta: { deep: levels(101) } } }),
        }),
      );
    },
  },
  {
    id: 'event.large',
    sentence: 'returns an event of several hundred KiB completely',
    contracts: [7, 15],
    async check(service) {
      await createSession(service);
      const long = '0123456789äöü€🙂'.repeat(12_000);
      const parts = [
        { text: long },
        { functionCall: { id: 'c', name: 'write', args: { long, list: numbers(20_000) } } },
        { functionResponse: { id: 'c', name: 'write', response: { long } } },
        { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo='.repeat(20_000) } },
        ...numbers(3_000).map((n) => ({ text: `part ${n}` })),
      ];
      const [stored] = await append(service, refTo(), eventOf('e1', { content: { role: 'model', parts } }));
      const [fresh] = (await read(service)).events;
      const repeated = await service.appendEvent({ session: refTo(), event: eventOf('e1') });
      // Compared part by part: a report on two large values that differ takes minutes.
      for (const { seq, content } of [stored!, fresh!, repeated]) {
        same([seq, content?.role, content?.parts?.length], [1, 'model', parts.length]);
        for (const [i, part] of parts.entries()) same(content!.parts![i], part, `part ${i} is different`);
      }
    },
  },
  {
    id: 'event.too-large',
    sentence: 'throws VALUE_TOO_LARGE for an event over 8 MiB and stores nothing',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const text = 'x'.repeat(8 * 1024 * 1024);
      await rejectsWith(
        'VALUE_TOO_LARGE',
        service.appendEvent({
          session: refTo(),
          event: eventOf('e1', { content: { role: 'model', parts: [{ text }] } }),
        }),
      );
      same((await read(service)).events, []);
    },
  },
  {
    id: 'event.value-too-large',
    sentence: 'stores a state value of 1 MiB of JSON and rejects one byte more, counted in UTF-8',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const largest = 'x'.repeat(1024 * 1024 - 2);
      await service.updateState({ ...refTo(), stateDelta: { largest } });
      same((await read(service)).state['largest'], largest);
      const half = 'é'.repeat(512 * 1024);
      for (const value of [`${largest}x`, half]) {
        await rejectsWith('VALUE_TOO_LARGE', service.updateState({ ...refTo(), stateDelta: { more: value } }));
      }
      assert.equal('more' in (await read(service)).state, false);
    },
  },
  {
    id: 'event.every-kind-counts',
    sentence: 'throws VALUE_TOO_LARGE for large values of nulls, numbers, keys or escapes',
    contracts: [5],
    async check(service) {
      await createSession(service);
      const many = (value: unknown, length: number): unknown => {
        const list: unknown[] = [];
        list.length = length;
        return list.fill(value);
      };
      const largeValues = {
        nulls: many(null, 220_000),
        booleans: many(true, 220_000),
        numbers: many(-Number.MAX_VALUE, 43_000),
        // Long keys: with short ones, a store that does not count their length would still count enough for their values.
        keys: Object.fromEntries(numbers(9_000).map((n) => [String(n).padStart(120, '0'), 1])),
        escapes: '\u0001'.repeat(180_000),
        empties: many({}, 360_000),
      };
      for (const [kind, more] of Object.entries(largeValues)) {
        await rejectsWith('VALUE_TOO_LARGE', service.updateState({ ...refTo(), stateDelta: { more } as never }), kind);
      }
      same((await read(service)).state, {});
    },
  },
  {
    id: 'event.messages-without-values',
    sentence: 'names only members and types in errors, never values of events or state',
    contracts: [42],
    async check(service) {
      await createSession(service);
      const secret = 'hunter2';
      const bad = [
        eventOf('e1', { content: { parts: [{ text: secret, bad: (() => secret) as never } as never] } }),
        eventOf('e1', { actions: { stateDelta: { a: [secret, Number.NaN] } } }),
        eventOf('e1', { timestamp: secret as never }),
      ];
      for (const event of bad) {
        const error = await rejectsWith('INVALID_INPUT', service.appendEvent({ session: refTo(), event }));
        assert.equal(JSON.stringify([error.message, error.details ?? null]).includes(secret), false, error.message);
      }
    },
  },
];
