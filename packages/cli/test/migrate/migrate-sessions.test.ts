import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

/** Creates a folder with a database of ADK for Python, with N sessions of one event each. */
function adkDatabase(sessions: number): string {
  const cwd = temporaryFolder();
  const database = new DatabaseSync(join(cwd, 'adk.db'));
  database.exec(`
    CREATE TABLE adk_internal_metadata (key TEXT, value TEXT);
    CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time DATETIME, update_time DATETIME);
    CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, timestamp DATETIME, event_data TEXT);
    CREATE TABLE app_states (app_name TEXT, state TEXT, update_time DATETIME);
    CREATE TABLE user_states (app_name TEXT, user_id TEXT, state TEXT, update_time DATETIME);
    INSERT INTO adk_internal_metadata VALUES ('schema_version', '1');`);
  const at = '2023-11-14 22:13:20.000000';
  for (let i = 0; i < sessions; i++) {
    const event = { invocation_id: 'i', author: 'user', content: { role: 'user', parts: [{ text: `Hi ${i}` }] } };
    database.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)').run('app', 'u', `s${i}`, '{"n": 1}', at, at);
    const values = [`e${i}`, 'app', 'u', `s${i}`, 'i', at, JSON.stringify(event)];
    database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)').run(...values);
  }
  database.close();
  return cwd;
}

const argv = ['migrate', 'session', '--from', 'sqlite:///adk.db', '--to', 'sqlite:///ours.db'];

describe('thole migrate session', () => {
  it('copies ADK’s sessions, prints the progress, and does not change the source', async () => {
    const cwd = adkDatabase(25);
    const before = readFileSync(join(cwd, 'adk.db'));
    const { code, output, errors } = await thole(argv, { cwd });
    expect({ code, output }).toEqual({ code: 0, output: 'Copied 25 sessions with 25 events.\n' });
    expect(errors.trimEnd().split('\n').at(-1)).toBe('25 of 25 sessions');
    expect(errors.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expect(readFileSync(join(cwd, 'adk.db'))).toEqual(before);
    const service = new DatabaseSessionService(`sqlite:///${cwd}/ours.db`);
    onTestFinished(() => service.close());
    const session = await service.getSession({ appName: 'app', userId: 'u', sessionId: 's7' });
    expect([session?.state, session?.events[0]?.content?.parts]).toEqual([{ n: 1 }, [{ text: 'Hi 7' }]]);
  });

  it('can be repeated, and keeps existing sessions', async () => {
    const cwd = adkDatabase(2);
    await thole(argv, { cwd });
    const { code, output } = await thole(argv, { cwd });
    expect({ code, output }).toEqual({
      code: 0,
      output: 'Copied 0 sessions with 0 events. 2 sessions existed already.\n',
    });
  });

  it('accepts ADK’s names of the options', async () => {
    const cwd = adkDatabase(1);
    const adkOptions = ['--source_db_url=sqlite:///adk.db', '--dest_db_url=sqlite:///ours.db'];
    expect((await thole(['migrate', 'session', ...adkOptions], { cwd })).output).toBe(
      'Copied 1 session with 1 event.\n',
    );
  });

  it('shows a growing progress bar in a terminal', async () => {
    const { code, output, errors } = await thole(argv, { cwd: adkDatabase(45), tty: true });
    expect({ code, output }).toEqual({ code: 0, output: 'Copied 45 sessions with 45 events.\n' });
    const lines = errors.split('\r').slice(1);
    const cells = lines.map((line) => line.split('━').length - 1);
    expect(cells).toEqual(Array.from({ length: 31 }, (_, i) => i));
    expect(lines.at(-1)).toBe(`${'━'.repeat(30)}  45 of 45 sessions\u001b[K\n`);
  });

  it.each([
    [[], '--from must be the URL of a database'],
    [
      ['--from', 'sqlite:///a.db', '--to', 'redis://h'],
      '--to must be one of sqlite://, postgresql://, mysql://, got redis://.',
    ],
    [['--from', 'a.db', '--to', 'sqlite:///b.db'], '--from must be the URL of a database, such as sqlite:///./adk.db.'],
  ])('rejects %j', async (args, sentence) => {
    const { code, errors } = await thole(['migrate', 'session', ...args], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(errors).toContain(`error: ${sentence}`);
  });

  it('rejects a database without ADK’s tables in one line, and creates none', async () => {
    const cwd = temporaryFolder();
    new DatabaseSync(join(cwd, 'adk.db')).close();
    const { code, output, errors } = await thole(argv, { cwd });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^error: from [^\n]*ADK[^\n]*\n$/);
    expect(existsSync(join(cwd, 'ours.db'))).toBe(false);
  });
});
