import assert from 'node:assert/strict';
import { everyByte, file, text } from './artifact-support.ts';
import type { ArtifactCase } from './artifact-support.ts';
import { numbers, refTo, rejectsWith, same } from './session-support.ts';
import { reopen } from './reopen.ts';

/** Version numbers with concurrent saves and deletions. */
export const artifactVersionCases: readonly ArtifactCase[] = [
  {
    id: 'artifact.versions',
    sentence: 'counts versions from 0, keeps each content, and loads the newest by default',
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
    sentence: 'orders version 10 after version 9',
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
    sentence: 'gives twenty concurrent saves of one file the versions 0 to 19, each with its content',
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
    id: 'artifact.refused-versions',
    sentence: 'rejects a version that is not an integer ≥ 0 with INVALID_INPUT',
    contracts: [37, 42],
    async check(service) {
      await service.saveArtifact({ ...file(), artifact: text('a') });
      for (const version of [-1, 0.5, Number.NaN, '0' as never, null as never]) {
        await rejectsWith('INVALID_INPUT', service.loadArtifact({ ...file(), version }), String(version));
        await rejectsWith('INVALID_INPUT', service.getArtifactVersion({ ...file(), version }), String(version));
      }
    },
  },
  {
    id: 'artifact.deleted',
    sentence: 'deletes every version and the name, also repeatedly, and continues the numbering',
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
      await service.deleteArtifact(file('unknown'));
    },
  },
  {
    id: 'artifact.saved-while-deleted',
    sentence: 'returns each version once and completely when saves and deletions are concurrent',
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
    id: 'artifact.aborted',
    sentence: 'throws the reason of a signal that is already aborted, and saves nothing',
    contracts: [37],
    async check(service) {
      const reason = new Error('enough');
      const saving = service.saveArtifact({ ...file(), artifact: text('a'), signal: AbortSignal.abort(reason) });
      await assert.rejects(saving, (error) => error === reason);
      same(await service.listArtifactKeys(refTo()), []);
    },
  },
  {
    id: 'artifact.durable',
    sentence: 'returns every file from another instance over the same storage and continues its versions',
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
      const other = await reopen(t);
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
