import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemRuntime } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceOptions } from '../../src/options/service-options.ts';
import { openServices, servicesOnDemand } from '../../src/services/open-services.ts';
import type { Services } from '../../src/services/open-services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const runtime = systemRuntime();
const user = { appName: 'app', userId: 'ada' };

async function opened(options: ServiceOptions, cwd: string): Promise<Services> {
  const { services, close } = await openServices(options, { cwd, runtime });
  onTestFinished(close);
  return services;
}

it('keeps sessions and artifacts below .thole unless told otherwise', async () => {
  const cwd = temporaryFolder();
  const first = await opened({}, cwd);
  const session = await first.sessionService.createSession({ ...user, sessionId: 's' });
  const ref = { ...user, sessionId: session.id, filename: 'a.txt' };
  await first.artifactService.saveArtifact({ ...ref, artifact: { text: 'kept' } });
  expect(existsSync(join(cwd, '.thole', 'sessions.db'))).toBe(true);
  const second = await opened({}, cwd);
  expect((await second.sessionService.getSession({ ...user, sessionId: 's' }))?.id).toBe('s');
  expect(await second.artifactService.loadArtifact(ref)).toEqual({ text: 'kept' });
});

it('writes nothing where everything is memory://', async () => {
  const cwd = temporaryFolder();
  const { sessionService, artifactService } = await opened({ sessionServiceUri: 'memory://' }, cwd);
  const { id } = await sessionService.createSession(user);
  await artifactService.saveArtifact({ ...user, sessionId: id, filename: 'a', artifact: { text: 'x' } });
  expect(existsSync(join(cwd, '.thole'))).toBe(false);
});

it.each([
  ['sqlite:///./here.db', 'here.db'],
  ['sqlite:///sub/with%20blank.db', 'sub/with blank.db'],
  ['sqlite+aiosqlite:///adk.db', 'adk.db'],
])('takes %s as a file beginning at the working directory', async (sessionServiceUri, file) => {
  const cwd = temporaryFolder();
  const { sessionService } = await opened({ sessionServiceUri }, cwd);
  await sessionService.createSession(user);
  expect(existsSync(join(cwd, file))).toBe(true);
});

it('takes an absolute SQLite file after four slashes, and an absolute or relative folder of artifacts', async () => {
  const [cwd, other] = [temporaryFolder(), temporaryFolder()];
  const sqlite = `sqlite:///${other}/absolute.db`;
  const absolute = await opened({ sessionServiceUri: sqlite, artifactServiceUri: `file://${other}/artifacts` }, cwd);
  await absolute.sessionService.createSession(user);
  const file = { ...user, sessionId: 's', filename: 'a', artifact: { text: 'x' } };
  await absolute.artifactService.saveArtifact(file);
  const relative = await opened({ sessionServiceUri: 'memory://', artifactServiceUri: 'file://./mine' }, cwd);
  await relative.artifactService.saveArtifact(file);
  expect([`${other}/absolute.db`, `${other}/artifacts`, `${cwd}/mine`].map((each) => existsSync(each))).toEqual([
    true,
    true,
    true,
  ]);
});

describe('what cannot be opened', () => {
  it.each([
    [{ sessionServiceUri: 'file://./x' }, /^--session_service_uri cannot be file:\/\/; it takes memory:\/\/, sqlite/],
    [{ memoryServiceUri: 'redis://secret@h' }, /^--memory_service_uri cannot be redis:\/\/; it takes memory:\/\/\.$/],
    [{ artifactServiceUri: 'gs://bucket' }, /^--artifact_service_uri cannot be gs:\/\/; it takes memory:\/\/, file/],
    [{ artifactServiceUri: 'file://' }, /^--artifact_service_uri must name a folder/],
    [{ sessionServiceUri: 'constructor://' }, /^--session_service_uri cannot be constructor/],
    [{ sessionServiceUri: 'sessions.db' }, /^--session_service_uri must be a URI such as/],
  ])('refuses %j and says what it takes, without repeating the URI', async (options, sentence) => {
    const refused = openServices(options, { cwd: temporaryFolder(), runtime });
    await expect(refused).rejects.toThrow(sentence);
    await expect(refused).rejects.not.toThrow(/secret/);
  });

  it.each([
    { sessionServiceUri: 'postgresql://nobody@127.0.0.1:1/none' },
    { sessionServiceUri: 'mysql://nobody@127.0.0.1:1/none' },
  ])('says at once that no database answers at %j', { timeout: 60_000 }, async (options) => {
    await expect(openServices(options, { cwd: temporaryFolder(), runtime })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });
});

it('says that no Redis answers once its time is over', async () => {
  const fixed = new FixedRuntime();
  let ended = false;
  const refused = openServices(
    { sessionServiceUri: 'redis://127.0.0.1:1' },
    { cwd: temporaryFolder(), runtime: fixed },
  );
  const told = expect(refused)
    .rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    .finally(() => (ended = true));
  while (!ended) await fixed.advance(1_000);
  await told;
});

it('opens services on demand once, and not at all when nobody asks', async () => {
  const cwd = temporaryFolder();
  const unused = servicesOnDemand({}, { cwd, runtime });
  await unused.close();
  expect(existsSync(join(cwd, '.thole'))).toBe(false);
  const used = servicesOnDemand({ sessionServiceUri: 'memory://' }, { cwd, runtime });
  expect(await used.get()).toBe(await used.get());
  await used.close();
});
