import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { applyRewinds } from '@thole/core/kit';
import { DatabaseSessionService, migrateFromAdk } from '@thole/sql-services';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'adk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** Tables of schema version 1 of ADK for Python, as its models declare them for SQLite. */
const pythonTables = `
  CREATE TABLE adk_internal_metadata (key VARCHAR(128) PRIMARY KEY, value VARCHAR(256));
  CREATE TABLE sessions (app_name VARCHAR(128), user_id VARCHAR(128), id VARCHAR(128), state TEXT, create_time DATETIME,
    update_time DATETIME, event_sequence INTEGER, PRIMARY KEY (app_name, user_id, id));
  CREATE TABLE events (id VARCHAR(128), app_name VARCHAR(128), user_id VARCHAR(128), session_id VARCHAR(128),
    invocation_id VARCHAR(256), timestamp DATETIME, event_data TEXT, PRIMARY KEY (id, app_name, user_id, session_id));
  CREATE TABLE app_states (app_name VARCHAR(128) PRIMARY KEY, state TEXT, update_time DATETIME);
  CREATE TABLE user_states (app_name VARCHAR(128), user_id VARCHAR(128), state TEXT, update_time DATETIME,
    PRIMARY KEY (app_name, user_id));`;

function createDatabase(sql: string): { path: string; from: { dbUrl: string }; to: { dbUrl: string } } {
  const path = join(folder, `${count++}.db`);
  const file = new DatabaseSync(path);
  file.exec(sql);
  file.close();
  return { path, from: { dbUrl: `sqlite:///${path}` }, to: { dbUrl: `sqlite:///${path}.ours` } };
}

function openService(dbUrl: string): DatabaseSessionService {
  const service = new DatabaseSessionService(dbUrl);
  onTestFinished(() => service.close());
  return service;
}

const pythonEvents = [
  {
    invocation_id: 'i1',
    author: 'user',
    content: { parts: [{ text: 'Hi' }], role: 'user' },
    actions: { state_delta: {}, artifact_delta: {}, requested_auth_configs: {}, requested_tool_confirmations: {} },
    timestamp: 1_700_000_001.25,
  },
  {
    invocation_id: 'i1',
    author: 'root',
    content: {
      parts: [
        { function_call: { id: 'c1', name: 'find_it', args: { snake_arg: { deep_arg: null } } } },
        { function_response: { id: 'c1', name: 'find_it', response: { snake_result: 1 } } },
      ],
      role: 'model',
    },
    usage_metadata: { total_token_count: 3 },
    long_running_tool_ids: ['c1'],
    custom_metadata: { my_key: 1 },
    error_code: null,
    actions: {
      state_delta: { snake_key: { inner_key: 1 }, 'temp:x': 1 },
      artifact_delta: { 'my_file.txt': 0 },
      transfer_to_agent: 'other_agent',
      compaction: { start_timestamp: 1, end_timestamp: 2, compacted_content: {} },
    },
    timestamp: 1_700_000_001.25,
  },
];

function pythonRows(): string {
  const texts = pythonEvents.map((event) => JSON.stringify(event).replaceAll("'", "''"));
  const at = '2023-11-14 22:13:21.250000';
  return `
    INSERT INTO adk_internal_metadata VALUES ('schema_version', '1');
    INSERT INTO sessions VALUES ('app', 'u', 's', '{"first": 1, "snake_key": {"inner_key": 1}, "nothing": null}',
      '2023-11-14 22:13:20.000000', '${at}', 2);
    INSERT INTO events VALUES ('z-first', 'app', 'u', 's', 'i1', '${at}', '${texts[0]}');
    INSERT INTO events VALUES ('a-second', 'app', 'u', 's', 'i1', '${at}', '${texts[1]}');
    INSERT INTO app_states VALUES ('app', '{"of_app": 1}', '${at}');
    INSERT INTO user_states VALUES ('app', 'u', '{"of_user": [1]}', '${at}');
    INSERT INTO user_states VALUES ('app', 'without sessions', '{"kept": true}', '${at}');`;
}

describe('migrateFromAdk', () => {
  it('copies tables of schema version 1 of ADK for Python', async () => {
    const { from, to } = createDatabase(pythonTables + pythonRows());
    expect(await migrateFromAdk({ from, to })).toEqual({ sessions: 1, events: 2, skipped: 0 });
    const service = openService(to.dbUrl);
    const session = (await service.getSession({ appName: 'app', userId: 'u', sessionId: 's' }))!;
    expect(session.state).toEqual({
      'app:of_app': 1,
      'user:of_user': [1],
      first: 1,
      snake_key: { inner_key: 1 },
    });
    expect([session.lastUpdateTime, session.lastSeq]).toEqual([1_700_000_001.25, 2]);
    expect(session.events).toEqual([
      {
        id: 'z-first',
        seq: 1,
        invocationId: 'i1',
        author: 'user',
        timestamp: 1_700_000_001.25,
        content: { parts: [{ text: 'Hi' }], role: 'user' },
        actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
      },
      {
        id: 'a-second',
        seq: 2,
        invocationId: 'i1',
        author: 'root',
        timestamp: 1_700_000_001.25,
        content: {
          parts: [
            { functionCall: { id: 'c1', name: 'find_it', args: { snake_arg: { deep_arg: null } } } },
            { functionResponse: { id: 'c1', name: 'find_it', response: { snake_result: 1 } } },
          ],
          role: 'model',
        },
        usageMetadata: { totalTokenCount: 3 },
        longRunningToolIds: ['c1'],
        customMetadata: { my_key: 1 },
        actions: {
          stateDelta: { snake_key: { inner_key: 1 } },
          artifactDelta: { 'my_file.txt': 0 },
          requestedAuthConfigs: {},
          requestedToolConfirmations: {},
          transferToAgent: 'other_agent',
        },
      },
    ]);
    expect(await service.getUserState({ appName: 'app', userId: 'without sessions' })).toEqual({ 'user:kept': true });
  });

  it('copies rewind markers, so that the rewound events stay removed', async () => {
    const { from, to } = createDatabase(pythonTables + pythonRows());
    const file = new DatabaseSync(from.dbUrl.slice('sqlite:///'.length));
    const marker = { author: 'user', actions: { rewind_before_invocation_id: 'i2' }, timestamp: 1_700_000_009 };
    const later = { author: 'user', content: { parts: [{ text: 'Later' }], role: 'user' }, timestamp: 1_700_000_008 };
    const insert = file.prepare("INSERT INTO events VALUES (?, 'app', 'u', 's', ?, ?, ?)");
    insert.run('later', 'i2', '2023-11-14 22:13:28.000000', JSON.stringify(later));
    insert.run('marker', 'i3', '2023-11-14 22:13:29.000000', JSON.stringify(marker));
    file.close();
    await migrateFromAdk({ from, to });
    const { events } = (await openService(to.dbUrl).getSession({ appName: 'app', userId: 'u', sessionId: 's' }))!;
    expect(events.at(-1)!.actions.rewindBeforeInvocationId).toBe('i2');
    expect(applyRewinds(events).map(({ id }) => id)).toEqual(['z-first', 'a-second']);
  });

  it('can be repeated and does not change existing sessions', async () => {
    const { from, to } = createDatabase(pythonTables + pythonRows());
    await migrateFromAdk({ from, to });
    const service = openService(to.dbUrl);
    const ref = { appName: 'app', userId: 'u', sessionId: 's' };
    await service.updateState({ ...ref, stateDelta: { added: 1, 'user:of_user': 'newer' } });
    expect(await migrateFromAdk({ from, to })).toEqual({ sessions: 0, events: 0, skipped: 1 });
    const { lastSeq, state } = (await service.getSession(ref))!;
    expect([lastSeq, state['added'], state['user:of_user']]).toEqual([3, 1, 'newer']);
  });

  it('calls onProgress after each session with the counts and the total', async () => {
    const { from, to } = createDatabase(`${pythonTables} ${pythonRows()}
      INSERT INTO sessions VALUES ('app', 'v', 's', '{}', '2023-11-14 22:13:20.000000', '2023-11-14 22:13:20.000000', 0);`);
    const progress: unknown[] = [];
    await migrateFromAdk({ from, to, onProgress: (done) => progress.push(done) });
    await migrateFromAdk({ from, to, onProgress: ({ skipped, total }) => progress.push([skipped, total]) });
    expect(progress).toEqual([
      { sessions: 1, events: 2, skipped: 0, total: 2 },
      { sessions: 2, events: 2, skipped: 0, total: 2 },
      [1, 2],
      [2, 2],
    ]);
  });

  it('does not change any byte of the source', async () => {
    const { path, from, to } = createDatabase(pythonTables + pythonRows());
    const before = readFileSync(path);
    await migrateFromAdk({ from, to });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('copies tables of the SQLite service of ADK for Python, which have no version', async () => {
    const [first] = pythonEvents;
    const { from, to } = createDatabase(`
      CREATE TABLE app_states (app_name TEXT PRIMARY KEY, state TEXT NOT NULL, update_time REAL NOT NULL);
      CREATE TABLE user_states (app_name TEXT, user_id TEXT, state TEXT, update_time REAL);
      CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time REAL, update_time REAL);
      CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, timestamp REAL,
        event_data TEXT);
      INSERT INTO sessions VALUES ('app', 'u', 's', '{}', 1700000000.5, 1700000007.5);
      INSERT INTO events VALUES ('e1', 'app', 'u', 's', 'i1', 1700000001.25, '${JSON.stringify(first)}');`);
    expect(await migrateFromAdk({ from, to })).toEqual({ sessions: 1, events: 1, skipped: 0 });
    const session = (await openService(to.dbUrl).getSession({ appName: 'app', userId: 'u', sessionId: 's' }))!;
    expect([session.lastUpdateTime, session.events[0]!.timestamp]).toEqual([1_700_000_007.5, 1_700_000_001.25]);
  });

  it.each([
    ['by version', `${pythonTables} INSERT INTO adk_internal_metadata VALUES ('schema_version', '0');`],
    ['by columns', 'CREATE TABLE sessions (id TEXT); CREATE TABLE events (id TEXT, actions BLOB);'],
  ])('rejects tables with pickled events (%s) and names the tool that converts them', async (_, sql) => {
    const { from, to } = createDatabase(sql);
    await expect(migrateFromAdk({ from, to })).rejects.toMatchObject({
      code: 'STORE_VERSION',
      message: expect.stringContaining('adk migrate session'),
    });
  });

  it('rejects an unknown version of ADK tables, and a database without ADK tables', async () => {
    const newer = createDatabase(`${pythonTables} INSERT INTO adk_internal_metadata VALUES ('schema_version', '2');`);
    await expect(migrateFromAdk(requestFor(newer))).rejects.toMatchObject({ code: 'STORE_VERSION' });
    await expect(migrateFromAdk(requestFor(createDatabase('')))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects options of ADK tables that it does not know (contract 42)', async () => {
    const { from, to } = createDatabase(pythonTables);
    const request = { from: { ...from, tablePrefix: 'adk_' }, to };
    await expect(migrateFromAdk(request)).rejects.toThrow('from has no option tablePrefix.');
  });
});

function requestFor({ from, to }: ReturnType<typeof createDatabase>): Parameters<typeof migrateFromAdk>[0] {
  return { from, to };
}
