import { file, text } from './artifact-support.ts';
import type { ArtifactCase } from './artifact-support.ts';
import { refTo, rejectsWith, same } from './session-support.ts';

const oddNames = [
  'a/b',
  'a\\b',
  '..',
  '.',
  '../a',
  '/etc/passwd',
  'a',
  'A',
  'a.',
  'a ',
  ' a',
  'con',
  'nul.txt',
  'a:b',
  'a*',
  '%41',
  '%',
  '_',
  'é',
  'e\u0301',
  '日本語.pdf',
  '🙂',
  '"',
  "'",
  '\n',
  '__proto__',
  'constructor',
  '0',
  '0.claim',
  'meta.json',
  'bytes',
  'name',
  'users:x',
  'app:x',
  'sessions',
  'user',
  'temporary',
  'x'.repeat(512),
  `${'x'.repeat(511)}y`,
  'é'.repeat(256),
];

/** Files of sessions, users and apps, with names of any characters. */
export const artifactScopeCases: readonly ArtifactCase[] = [
  {
    id: 'artifact.unknown',
    sentence: 'returns undefined and no versions for an unknown file, version, session, user or app',
    contracts: [30, 37],
    async check(service) {
      await service.saveArtifact({ ...file(), artifact: text('a') });
      for (const ref of [
        file('other'),
        file('file.txt', 's2'),
        file('file.txt', 's', 'u2'),
        file('file.txt', 's', 'u', 'a2'),
        file('user:file.txt'),
      ]) {
        same(
          [await service.loadArtifact(ref), await service.listVersions(ref), await service.getArtifactVersion(ref)],
          [undefined, [], undefined],
        );
      }
      same(await service.loadArtifact({ ...file(), version: 1 }), undefined);
    },
  },
  {
    id: 'artifact.scoped',
    sentence: 'keeps files with one name apart in four sessions, users and apps',
    contracts: [1, 30],
    async check(service) {
      const refs = [file(), file('file.txt', 's2'), file('file.txt', 's', 'u2'), file('file.txt', 's', 'u', 'a2')];
      for (const [i, ref] of refs.entries()) same(await service.saveArtifact({ ...ref, artifact: text(`${i}`) }), 0);
      await service.deleteArtifact(refs[0]!);
      for (const [i, ref] of refs.entries()) same(await service.loadArtifact(ref), i === 0 ? undefined : text(`${i}`));
    },
  },
  {
    id: 'artifact.user-files',
    sentence: 'shares a user: file between all sessions of the user, and with no other user',
    contracts: [37, 30],
    async check(service) {
      same(await service.saveArtifact({ ...file('user:me.png', 's1'), artifact: text('one') }), 0);
      same(await service.saveArtifact({ ...file('user:me.png', 's2'), artifact: text('two') }), 1);
      same(await service.loadArtifact(file('user:me.png', 's1')), text('two'));
      same(await service.loadArtifact(file('me.png', 's1')), undefined);
      same(await service.loadArtifact(file('user:me.png', 's1', 'u2')), undefined);
      same(await service.listArtifactKeys(refTo('s3')), ['user:me.png']);
    },
  },
  {
    id: 'artifact.list',
    sentence: 'lists the names of session and user sorted, each once',
    contracts: [37],
    async check(service) {
      same(await service.listArtifactKeys(refTo()), []);
      for (const name of ['b', 'user:z', 'a', 'b', 'user:c', 'x'])
        await service.saveArtifact({ ...file(name), artifact: text(name) });
      await service.saveArtifact({ ...file('elsewhere', 's2'), artifact: text('no') });
      same(await service.listArtifactKeys(refTo()), ['a', 'b', 'user:c', 'user:z', 'x']);
    },
  },
  {
    id: 'artifact.odd-names',
    sentence: 'keeps odd file names apart: paths, case, blanks, Unicode, reserved and long names',
    contracts: [1, 37],
    async check(service) {
      for (const name of oddNames)
        same(await service.saveArtifact({ ...file(name), artifact: text(name) }), 0, JSON.stringify(name));
      for (const name of oddNames) same(await service.loadArtifact(file(name)), text(name), JSON.stringify(name));
      same(
        await service.listArtifactKeys(refTo()),
        oddNames.toSorted((a, b) => (a < b ? -1 : 1)),
      );
    },
  },
  {
    id: 'artifact.odd-scopes',
    sentence: 'keeps odd names of apps, users and sessions apart',
    contracts: [1, 30],
    async check(service) {
      const places = oddNames.flatMap((name) => [refTo(name), refTo('s', name), refTo('s', 'u', name)]);
      places.push(
        refTo('c', 'b', 'a/b'),
        refTo('c', 'a/b', 'b'),
        refTo('sessions', 'user', 'x'),
        refTo('user', 'sessions', 'x'),
      );
      for (const [i, place] of places.entries())
        await service.saveArtifact({ ...place, filename: 'f', artifact: text(`${i}`) });
      for (const [i, place] of places.entries()) {
        same(await service.loadArtifact({ ...place, filename: 'f' }), text(`${i}`), JSON.stringify(place));
        same(await service.listArtifactKeys(place), ['f']);
      }
    },
  },
  {
    id: 'artifact.refused-names',
    sentence: 'rejects invalid names with INVALID_INPUT in every call, also an empty name after user:',
    contracts: [1, 42],
    async check(service) {
      for (const filename of ['', 'user:', 'a\0b', '\ud800', 'x'.repeat(513), 7 as never, undefined as never]) {
        const ref = { ...refTo(), filename };
        await rejectsWith(
          'INVALID_INPUT',
          service.saveArtifact({ ...ref, artifact: text('a') }),
          `saveArtifact ${String(filename)}`,
        );
        await rejectsWith('INVALID_INPUT', service.loadArtifact(ref), `loadArtifact ${String(filename)}`);
        await rejectsWith('INVALID_INPUT', service.listVersions(ref), `listVersions ${String(filename)}`);
        await rejectsWith('INVALID_INPUT', service.deleteArtifact(ref), `deleteArtifact ${String(filename)}`);
      }
      for (const part of ['appName', 'userId', 'sessionId']) {
        const ref = { ...file(), [part]: '' };
        await rejectsWith('INVALID_INPUT', service.saveArtifact({ ...ref, artifact: text('a') }), part);
        await rejectsWith('INVALID_INPUT', service.listArtifactKeys(ref), part);
        await rejectsWith('INVALID_INPUT', service.deleteSessionArtifacts(ref), part);
        if (part !== 'sessionId') await rejectsWith('INVALID_INPUT', service.deleteUserArtifacts(ref), part);
      }
    },
  },
  {
    id: 'artifact.session-deleted',
    sentence: 'deletes only the files of the given session, not those of the user or other sessions',
    contracts: [30, 37],
    async check(service) {
      const kept = [file('user:mine'), file('a', 's2'), file('a', 's', 'u2'), file('a', 's', 'u', 'a2')];
      for (const ref of [file('a'), file('b'), ...kept]) await service.saveArtifact({ ...ref, artifact: text('x') });
      for (let i = 0; i < 2; i++) await service.deleteSessionArtifacts(refTo());
      same(await service.listArtifactKeys(refTo()), ['user:mine']);
      for (const ref of kept) same(await service.loadArtifact(ref), text('x'), JSON.stringify(ref));
    },
  },
  {
    id: 'artifact.user-deleted',
    sentence: 'deletes all files of the given user in all sessions, and no other user’s',
    contracts: [12, 30],
    async check(service) {
      const kept = [file('a', 's', 'u2'), file('user:mine', 's', 'u2'), file('a', 's', 'u', 'a2')];
      for (const ref of [file('a'), file('b', 's2'), file('user:mine'), ...kept])
        await service.saveArtifact({ ...ref, artifact: text('x') });
      for (let i = 0; i < 2; i++) await service.deleteUserArtifacts({ appName: 'app', userId: 'u' });
      same([await service.listArtifactKeys(refTo()), await service.listArtifactKeys(refTo('s2'))], [[], []]);
      same(await service.loadArtifact(file('user:mine')), undefined);
      for (const ref of kept) same(await service.loadArtifact(ref), text('x'), JSON.stringify(ref));
    },
  },
  {
    id: 'artifact.no-patterns',
    sentence: 'treats wildcard characters in names of users and sessions literally',
    contracts: [1, 30],
    async check(service) {
      await service.saveArtifact({ ...file('a', 'victim', 'victim'), artifact: text('x') });
      for (const pattern of ['*', '%', '_', 'v*', '..', '.', '../victim', 'victi?']) {
        await service.deleteSessionArtifacts(refTo(pattern, 'victim'));
        await service.deleteSessionArtifacts(refTo('victim', pattern));
        await service.deleteUserArtifacts({ appName: 'app', userId: pattern });
        await service.deleteArtifact(file(pattern, 'victim', 'victim'));
      }
      same(await service.loadArtifact(file('a', 'victim', 'victim')), text('x'));
    },
  },
];
