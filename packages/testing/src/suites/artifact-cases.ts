import assert from 'node:assert/strict';
import { base64OfBytes, bytesOfBase64 } from '@thole/core';
import type { ArtifactRef, ArtifactService, Part } from '@thole/core';
import type { Case, CaseTools } from '../case.ts';
import { notJson, numbers, refTo, refused, same } from './session-support.ts';

type ArtifactCase = Case<ArtifactService>;

const everyByte = base64OfBytes(Uint8Array.from({ length: 256 }, (_, i) => i));

/**
 * What every artifact service promises; its subjects take at most 64 KiB a version (`maxBytes: 65_536`). Claims:
 * `durable` (give `reopen`).
 */
export const artifactServiceCases: readonly ArtifactCase[] = [
  {
    id: 'artifact.bytes',
    sentence: 'each of the 256 bytes comes back, with type and display name',
    contracts: [37],
    async check(service) {
      const artifact = {
        inlineData: { mimeType: 'application/x-odd; a="b"', data: everyByte, displayName: 'Ünïcode "name".bin' },
      };
      same(await service.saveArtifact({ ...file(), artifact }), 0);
      same(await service.loadArtifact(file()), artifact);
    },
  },
  {
    id: 'artifact.empty',
    sentence: 'a file of no bytes is a file',
    contracts: [37],
    async check(service) {
      const artifact = { inlineData: { mimeType: 'text/plain', data: '' } };
      await service.saveArtifact({ ...file(), artifact });
      same(await service.loadArtifact(file()), artifact);
      same(await service.listArtifactKeys(refTo()), ['file.txt']);
    },
  },
  {
    id: 'artifact.base64url',
    sentence: 'base64url is read as the same bytes and comes back as base64',
    contracts: [37],
    async check(service) {
      const url = everyByte.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      await service.saveArtifact({ ...file(), artifact: { inlineData: { mimeType: 'a/b', data: url } } });
      same((await service.loadArtifact(file()))?.inlineData?.data, everyByte);
    },
  },
  {
    id: 'artifact.large',
    sentence: 'a file at the limit comes back byte for byte',
    contracts: [37],
    async check(service) {
      const bytes = Uint8Array.from({ length: 65_536 }, (_, i) => (i * 31 + (i >> 8)) % 256);
      await service.saveArtifact({
        ...file(),
        artifact: { inlineData: { mimeType: 'a/b', data: base64OfBytes(bytes) } },
      });
      const loaded = bytesOfBase64((await service.loadArtifact(file()))!.inlineData!.data)!;
      assert.equal(loaded.length, bytes.length);
      assert.ok(loaded.every((byte, i) => byte === bytes[i]));
    },
  },
  {
    id: 'artifact.too-large',
    sentence: 'one byte over the limit is ARTIFACT_TOO_LARGE, and no version is used up',
    contracts: [37],
    async check(service) {
      const data = base64OfBytes(new Uint8Array(65_536 + 1));
      await refused(
        'ARTIFACT_TOO_LARGE',
        service.saveArtifact({ ...file(), artifact: { inlineData: { mimeType: 'a/b', data } } }),
      );
      await refused('ARTIFACT_TOO_LARGE', service.saveArtifact({ ...file(), artifact: { text: 'x'.repeat(65_536) } }));
      const beside = { inlineData: { mimeType: 'a/b', data: '' }, thoughtSignature: 'x'.repeat(65_536) };
      await refused('ARTIFACT_TOO_LARGE', service.saveArtifact({ ...file(), artifact: beside }));
      same(await service.listArtifactKeys(refTo()), []);
      same(await service.saveArtifact({ ...file(), artifact: text('small') }), 0);
    },
  },
  {
    id: 'artifact.text',
    sentence: 'a text part comes back as it was, odd characters and unknown members included',
    contracts: [37],
    async check(service) {
      for (const artifact of [
        { text: '' },
        { text: 'a\0b\ud800 🙂\r\n' },
        { text: 'x', newer: { a: [null] } } as Part,
      ]) {
        await service.saveArtifact({ ...file(), artifact });
        same(await service.loadArtifact(file()), artifact);
      }
    },
  },
  {
    id: 'artifact.beside-data',
    sentence: 'what stands in a part beside its bytes comes back as it came, unknown members too, version by version',
    contracts: [37],
    async check(service) {
      const inlineData = { mimeType: 'image/png', data: 'AAEC', displayName: 'dot', newer: { a: [null] } };
      const artifact: Part = {
        inlineData,
        thoughtSignature: 'c2ln',
        partMetadata: { provider: 'gemini', resolution: 2 },
        videoMetadata: { fps: 5 },
      } as Part;
      const plain = { inlineData: { mimeType: 'image/png', data: 'AAEC' } };
      await service.saveArtifact({ ...file(), artifact });
      await service.saveArtifact({ ...file(), artifact: plain });
      same(await service.loadArtifact({ ...file(), version: 0 }), artifact);
      same(await service.loadArtifact(file()), plain);
      const loaded = (await service.loadArtifact({ ...file(), version: 0 }))!;
      loaded.partMetadata!['resolution'] = 3;
      same(await service.loadArtifact({ ...file(), version: 0 }), artifact);
      const info = await service.getArtifactVersion({ ...file(), version: 0 });
      same(Object.keys(info!).toSorted(), ['createTime', 'displayName', 'mimeType', 'version']);
    },
  },
  {
    id: 'artifact.file-data',
    sentence: 'a part that only points to a file comes back as the pointer',
    contracts: [37],
    async check(service) {
      const artifact = { fileData: { fileUri: 'gs://bucket/a', mimeType: 'image/png', displayName: 'a' } };
      await service.saveArtifact({ ...file(), artifact });
      same(await service.loadArtifact(file()), artifact);
    },
  },
  {
    id: 'artifact.versions',
    sentence: 'versions count from 0, each keeps its content, and the newest is loaded unless one is named',
    contracts: [37],
    async check(service) {
      for (const n of [0, 1, 2]) same(await service.saveArtifact({ ...file(), artifact: text(`v${n}`) }), n);
      same(await service.listVersions(file()), [0, 1, 2]);
      for (const version of [0, 1, 2]) same(await service.loadArtifact({ ...file(), version }), text(`v${version}`));
      same(await service.loadArtifact(file()), text('v2'));
    },
  },
  {
    id: 'artifact.versions-many',
    sentence: 'version 10 comes after version 9, not after version 1',
    contracts: [37],
    async check(service) {
      for (const n of numbers(12)) await service.saveArtifact({ ...file(), artifact: text(`v${n - 1}`) });
      same(
        await service.listVersions(file()),
        numbers(12).map((n) => n - 1),
      );
      same(await service.loadArtifact(file()), text('v11'));
    },
  },
  {
    id: 'artifact.concurrent',
    sentence: 'twenty saves of one file at once get twenty versions, 0 to 19, and each version is its own save',
    contracts: [37],
    async check(service) {
      const versions = await Promise.all(
        numbers(20).map((n) => service.saveArtifact({ ...file(), artifact: text(`save ${n}`) })),
      );
      same(
        versions.toSorted((a, b) => a - b),
        numbers(20).map((n) => n - 1),
      );
      for (const [i, version] of versions.entries())
        same(await service.loadArtifact({ ...file(), version }), text(`save ${i + 1}`));
    },
  },
  {
    id: 'artifact.unknown',
    sentence: 'an unknown file, version, session, user or app is undefined and has no versions',
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
    sentence: 'one name in four sessions, users and apps is four files, listed, versioned and deleted apart',
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
    sentence: 'a user: file is one file in all of the user’s sessions and in no other user’s',
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
    sentence: 'names are listed sorted, the session’s and the user’s together, each once whatever its versions',
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
    sentence:
      'odd file names are kept apart and lead nowhere else: paths, case, blanks, Unicode, reserved and long ones',
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
    sentence: 'odd names of apps, users and sessions are kept apart too',
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
    sentence: 'what cannot be a name is INVALID_INPUT in every call, also the empty name after user:',
    contracts: [1, 42],
    async check(service) {
      for (const filename of ['', 'user:', 'a\0b', '\ud800', 'x'.repeat(513), 7 as never, undefined as never]) {
        const ref = { ...refTo(), filename };
        await refused(
          'INVALID_INPUT',
          service.saveArtifact({ ...ref, artifact: text('a') }),
          `saveArtifact ${String(filename)}`,
        );
        await refused('INVALID_INPUT', service.loadArtifact(ref), `loadArtifact ${String(filename)}`);
        await refused('INVALID_INPUT', service.listVersions(ref), `listVersions ${String(filename)}`);
        await refused('INVALID_INPUT', service.deleteArtifact(ref), `deleteArtifact ${String(filename)}`);
      }
      for (const part of ['appName', 'userId', 'sessionId']) {
        const ref = { ...file(), [part]: '' };
        await refused('INVALID_INPUT', service.saveArtifact({ ...ref, artifact: text('a') }), part);
        await refused('INVALID_INPUT', service.listArtifactKeys(ref), part);
        await refused('INVALID_INPUT', service.deleteSessionArtifacts(ref), part);
        if (part !== 'sessionId') await refused('INVALID_INPUT', service.deleteUserArtifacts(ref), part);
      }
    },
  },
  {
    id: 'artifact.refused-parts',
    sentence: 'what is no part, and data that is not base64, is INVALID_INPUT and uses up no version',
    contracts: [5, 37],
    async check(service) {
      const bad = [
        null,
        'text',
        {},
        [],
        { text: 7 },
        { inlineData: {} },
        { inlineData: { mimeType: 'a/b' } },
        { inlineData: { mimeType: 'a/b', data: 'not base64!' } },
      ];
      for (const artifact of bad) {
        await refused(
          'INVALID_INPUT',
          service.saveArtifact({ ...file(), artifact: artifact as never }),
          JSON.stringify(artifact),
        );
      }
      for (const [what, value] of notJson()) {
        await refused(
          'INVALID_INPUT',
          service.saveArtifact({ ...file(), artifact: { text: 'a', extra: value } as Part }),
          what,
        );
        await refused(
          'INVALID_INPUT',
          service.saveArtifact({ ...file(), artifact: text('a'), customMetadata: { a: value as never } }),
          what,
        );
      }
      same(await service.listArtifactKeys(refTo()), []);
      same(await service.saveArtifact({ ...file(), artifact: text('a') }), 0);
    },
  },
  {
    id: 'artifact.refused-versions',
    sentence: 'a version that is no whole number from 0 on is INVALID_INPUT',
    contracts: [37, 42],
    async check(service) {
      await service.saveArtifact({ ...file(), artifact: text('a') });
      for (const version of [-1, 0.5, Number.NaN, '0' as never, null as never]) {
        await refused('INVALID_INPUT', service.loadArtifact({ ...file(), version }), String(version));
        await refused('INVALID_INPUT', service.getArtifactVersion({ ...file(), version }), String(version));
      }
    },
  },
  {
    id: 'artifact.deleted',
    sentence: 'deleting takes every version and the name; it may be repeated, and versions go on counting',
    contracts: [37],
    async check(service) {
      for (const n of numbers(3)) await service.saveArtifact({ ...file(), artifact: text(`${n}`) });
      for (let i = 0; i < 2; i++) await service.deleteArtifact(file());
      same(
        [await service.loadArtifact(file()), await service.loadArtifact({ ...file(), version: 1 })],
        [undefined, undefined],
      );
      same([await service.listVersions(file()), await service.listArtifactKeys(refTo())], [[], []]);
      same(await service.saveArtifact({ ...file(), artifact: text('new') }), 3);
      same([await service.listVersions(file()), await service.loadArtifact(file())], [[3], text('new')]);
      await service.deleteArtifact(file('never was'));
    },
  },
  {
    id: 'artifact.session-deleted',
    sentence: 'deleting a session’s files takes those alone: not the user’s, not another session’s, not another user’s',
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
    sentence: 'deleting a user’s files takes all of them in all sessions, and nobody else’s',
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
    sentence: 'a user or session name that is a pattern elsewhere deletes only itself',
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
  {
    id: 'artifact.version-info',
    sentence: 'what is known of a version: number, type, names, own metadata and the time of saving in seconds',
    contracts: [37, 41],
    async check(service, { runtime }) {
      const artifact = { inlineData: { mimeType: 'image/png', data: 'AAEC', displayName: 'dot' } };
      await service.saveArtifact({ ...file(), artifact, customMetadata: { from: 'test', deep: { a: [null] } } });
      await runtime.advance(2_500);
      await service.saveArtifact({ ...file(), artifact: text('second') });
      same(await service.getArtifactVersion({ ...file(), version: 0 }), {
        version: 0,
        mimeType: 'image/png',
        displayName: 'dot',
        customMetadata: { from: 'test', deep: { a: [null] } },
        createTime: 1_700_000_000,
      });
      same(await service.getArtifactVersion(file()), {
        version: 1,
        mimeType: 'text/plain',
        createTime: 1_700_000_002.5,
      });
    },
  },
  {
    id: 'artifact.own-copy',
    sentence: 'what is changed in a part or its metadata, given or answered, is not stored',
    contracts: [9, 37],
    async check(service) {
      const artifact = { text: 'a', extra: { b: 1 } };
      const customMetadata = { c: { d: 1 } };
      await service.saveArtifact({ ...file(), artifact, customMetadata });
      artifact.extra.b = 2;
      customMetadata.c.d = 2;
      const loaded = (await service.loadArtifact(file())) as typeof artifact;
      same(loaded, { text: 'a', extra: { b: 1 } });
      loaded.extra.b = 3;
      same(await service.loadArtifact(file()), { text: 'a', extra: { b: 1 } });
      same((await service.getArtifactVersion(file()))?.customMetadata, { c: { d: 1 } });
    },
  },
  {
    id: 'artifact.aborted',
    sentence: 'a signal that is aborted before the call ends it with the signal’s reason, and nothing is saved',
    contracts: [37],
    async check(service) {
      const reason = new Error('enough');
      const saving = service.saveArtifact({ ...file(), artifact: text('a'), signal: AbortSignal.abort(reason) });
      await assert.rejects(saving, (error) => error === reason);
      same(await service.listArtifactKeys(refTo()), []);
    },
  },
  {
    id: 'artifact.saved-while-deleted',
    sentence: 'saves among deletes never share a version and never come back half',
    contracts: [37],
    async check(service) {
      const saves = numbers(12).map((n) => service.saveArtifact({ ...file(), artifact: text(`${n}`) }));
      const deletes = numbers(4).map(() => service.deleteArtifact(file()));
      const versions = await Promise.all(saves);
      await Promise.all(deletes);
      same(new Set(versions).size, 12);
      for (const version of await service.listVersions(file())) {
        const loaded = await service.loadArtifact({ ...file(), version });
        same(loaded, text(`${versions.indexOf(version) + 1}`));
      }
    },
  },
  {
    id: 'artifact.durable',
    sentence: 'another instance over the same storage has every file, and its versions go on counting',
    contracts: [37],
    needs: ['durable'],
    async check(service, t) {
      await service.saveArtifact({
        ...file(),
        artifact: { inlineData: { mimeType: 'a/b', data: everyByte } },
        customMetadata: { a: 1 },
      });
      await service.saveArtifact({ ...file('gone'), artifact: text('x') });
      await service.deleteArtifact(file('gone'));
      const other = await reopened(t);
      same((await other.loadArtifact(file()))?.inlineData?.data, everyByte);
      same((await other.getArtifactVersion(file()))?.customMetadata, { a: 1 });
      same(await other.saveArtifact({ ...file('gone'), artifact: text('y') }), 1);
      const versions = await Promise.all(
        numbers(10).map((n) => [service, other][n % 2]!.saveArtifact({ ...file('both'), artifact: text(`${n}`) })),
      );
      same(
        versions.toSorted((a, b) => a - b),
        numbers(10).map((n) => n - 1),
      );
    },
  },
];

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

function file(filename = 'file.txt', sessionId = 's', userId = 'u', appName = 'app'): ArtifactRef {
  return { ...refTo(sessionId, userId, appName), filename };
}

function text(value: string): Part {
  return { text: value };
}

async function reopened(t: CaseTools<ArtifactService>): Promise<ArtifactService> {
  assert.ok(t.reopen, 'who claims durable gives reopen');
  return t.reopen();
}
