import { createEvent } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService, migrateFromAdk } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions, TextCodec } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

const tablePrefix = 'options_';
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string, timestamp: number, stateDelta = {}) =>
  createEvent({ id, author: 'agent', timestamp, actions: { stateDelta } });

const reversingCodec: TextCodec = {
  encode: (text) => new Uint8Array(Buffer.from(text).reverse()),
  decode: (stored) =>
    Buffer.from(stored as Uint8Array)
      .reverse()
      .toString(),
};

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `DatabaseSessionService (${kind})`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, tablePrefix);
    beforeEach(() => tables.empty());
    afterAll(() => tables.close());

    function openService(options: DatabaseSessionServiceOptions = {}): DatabaseSessionService {
      const service = new DatabaseSessionService({ dbUrl, tablePrefix, ...options });
      onTestFinished(() => service.close());
      return service;
    }

    it('prunes old events except the last N, of an app, a user or a session (contracts 1, 8)', async () => {
      const service = openService();
      for (const sessionId of ['s', 'other']) {
        await service.createSession({ ...ref, sessionId });
        for (const [i, time] of [10, 20, 90, 30, 40].entries()) {
          await service.appendEvent({ session: { ...ref, sessionId }, event: event(`e${i}`, time, { last: i }) });
        }
      }
      const remaining = async (sessionId: string): Promise<unknown> => {
        const session = (await service.getSession({ ...ref, sessionId }))!;
        return [session.lastSeq, session.state['last'], session.events.map(({ seq }) => seq)];
      };
      expect(await service.pruneEvents({ ...ref, olderThan: 50 })).toBe(2);
      expect(await service.pruneEvents({ olderThan: 15, keepLast: 1 })).toBe(1);
      expect([await remaining('s'), await remaining('other')]).toEqual([
        [5, 4, [3, 4, 5]],
        [5, 4, [2, 3, 4, 5]],
      ]);
      expect(await service.pruneEvents({ appName: 'app', userId: 'u', keepLast: 2 })).toBe(3);
      expect((await service.appendEvent({ session: ref, event: event('e9', 100) })).seq).toBe(6);
    });

    it('deletes expired sessions, and no others (contract 14)', async () => {
      const runtime = new FixedRuntime({ now: Date.now() / 1000 });
      const service = openService({ runtime, sessionTtlMs: 60_000 });
      for (const sessionId of ['s1', 's2', 's3']) {
        await service.createSession({ ...ref, sessionId, state: { 'user:a': 1 } });
        await service.appendEvent({ session: { ...ref, sessionId }, event: event('e1', 1) });
        await runtime.advance(40_000);
      }
      expect(await service.deleteExpiredSessions()).toBe(2);
      expect(await service.deleteExpiredSessions()).toBe(0);
      expect(await tables.query(`SELECT session_row FROM ${tablePrefix}events`)).toHaveLength(1);
      expect((await service.getSession({ ...ref, sessionId: 's3' }))!.state).toEqual({ 'user:a': 1 });
    });

    it('stores events, state and artifacts encoded with a codec', async () => {
      const service = openService({ codec: reversingCodec });
      await service.createSession({ ...ref, state: { a: 'SECRET', 'app:b': 'SECRET', 'user:c': ['SECRET'] } });
      await service.appendEvent({ session: ref, event: event('e1', 1, { d: 'SECRET', 'user:e': 'SECRET' }) });
      const { state, events } = (await service.getSession(ref))!;
      expect(state).toEqual({ a: 'SECRET', 'app:b': 'SECRET', 'user:c': ['SECRET'], d: 'SECRET', 'user:e': 'SECRET' });
      expect(events[0]!.actions.stateDelta).toEqual({ d: 'SECRET', 'user:e': 'SECRET' });
      const artifacts = new DatabaseArtifactService({ dbUrl, tablePrefix, codec: reversingCodec });
      onTestFinished(() => artifacts.close());
      const artifact = { inlineData: { mimeType: 'a/b', data: btoa('SECRET') } };
      await artifacts.saveArtifact({ ...ref, filename: 'f', artifact });
      expect(await artifacts.loadArtifact({ ...ref, filename: 'f' })).toEqual(artifact);
      const rows: unknown[] = [];
      for (const name of ['sessions', 'events', 'app_states', 'user_states', 'artifacts']) {
        rows.push(...(await tables.query(`SELECT * FROM ${tablePrefix}${name}`)));
      }
      expect(rows.length).toBeGreaterThan(5);
      expect(JSON.stringify(rows, (_, value: unknown) => toText(value))).not.toMatch(/SECRET|U0VDUkVU/);
    });

    it('copies tables of schema version 1 of ADK for Python', async () => {
      const schema = `adk_${process.pid}`;
      await tables.query(`DROP SCHEMA IF EXISTS ${schema}${kind === 'postgres' ? ' CASCADE' : ''}`);
      await tables.query(`CREATE SCHEMA ${schema}`);
      for (const statement of adkStatements(kind, schema)) await tables.query(statement);
      const request = { from: { dbUrl, schema }, to: { dbUrl, tablePrefix } };
      expect(await migrateFromAdk(request)).toEqual({ sessions: 1, events: 2, skipped: 0 });
      const session = (await openService().getSession(ref))!;
      expect(session.state).toEqual({ a: { b_c: 1 }, 'app:of_app': 1, 'user:of_user': [1] });
      expect([session.lastUpdateTime, session.events.map(({ id, timestamp }) => [id, timestamp])]).toEqual([
        1_700_000_001.25,
        [
          ['e1', 1_700_000_000.5],
          ['e2', 1_700_000_001.25],
        ],
      ]);
      await tables.query(`DROP SCHEMA ${schema}${kind === 'postgres' ? ' CASCADE' : ''}`);
    });
  });
}

function toText(value: unknown): unknown {
  const bytes = value as { type?: unknown; data?: unknown } | null;
  return bytes?.type === 'Buffer' ? Buffer.from(bytes.data as number[]).toString('latin1') : value;
}

/** Returns statements that create the tables of ADK for Python, as its models declare them, with a session. */
function adkStatements(kind: 'postgres' | 'mariadb', schema: string): string[] {
  const [json, time] = kind === 'postgres' ? ['JSONB', 'TIMESTAMP'] : ['LONGTEXT', 'DATETIME(6)'];
  const owner = 'app_name VARCHAR(128), user_id VARCHAR(128)';
  const at = ['2023-11-14 22:13:20.500000', '2023-11-14 22:13:21.250000'];
  const data = '{"author": "root", "invocation_id": "i1", "actions": {"state_delta": {"a": {"b_c": 1}}}}';
  const eventColumns = 'id, app_name, user_id, session_id, invocation_id, timestamp, event_data';
  return [
    `CREATE TABLE ${schema}.adk_internal_metadata (${kind === 'postgres' ? 'key' : '`key`'} VARCHAR(128), value VARCHAR(256))`,
    `CREATE TABLE ${schema}.sessions (${owner}, id VARCHAR(128), state ${json}, create_time ${time}, update_time ${time})`,
    `CREATE TABLE ${schema}.events (id VARCHAR(128), ${owner}, session_id VARCHAR(128), invocation_id VARCHAR(256),
      timestamp ${time}, event_data ${json})`,
    `CREATE TABLE ${schema}.app_states (app_name VARCHAR(128), state ${json}, update_time ${time})`,
    `CREATE TABLE ${schema}.user_states (${owner}, state ${json}, update_time ${time})`,
    `INSERT INTO ${schema}.adk_internal_metadata VALUES ('schema_version', '1')`,
    `INSERT INTO ${schema}.sessions VALUES ('app', 'u', 's', '{"a": {"b_c": 1}, "gone": null}', '${at[0]}', '${at[1]}')`,
    `INSERT INTO ${schema}.events (${eventColumns}) VALUES ('e2', 'app', 'u', 's', 'i1', '${at[1]}', '${data}')`,
    `INSERT INTO ${schema}.events (${eventColumns}) VALUES ('e1', 'app', 'u', 's', 'i1', '${at[0]}', '${data}')`,
    `INSERT INTO ${schema}.app_states VALUES ('app', '{"of_app": 1}', '${at[0]}')`,
    `INSERT INTO ${schema}.user_states VALUES ('app', 'u', '{"of_user": [1]}', '${at[0]}')`,
  ];
}
