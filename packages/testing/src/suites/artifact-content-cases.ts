import assert from 'node:assert/strict';
import { encodeBase64, decodeBase64 } from '@thole/core/kit';
import type { Part } from '@thole/core';
import { everyByte, file, text } from './artifact-support.ts';
import type { ArtifactCase } from './artifact-support.ts';
import { notJson, refTo, rejectsWith, same } from './session-support.ts';

/** Contents of versions. */
export const artifactContentCases: readonly ArtifactCase[] = [
  {
    id: 'artifact.bytes',
    sentence: 'returns each of the 256 byte values, with type and display name',
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
    id: 'artifact.long-type',
    sentence: 'returns a MIME type of any length and with any characters unchanged',
    contracts: [37],
    async check(service) {
      for (const mimeType of [`a/${'b'.repeat(20_000)}`, 'text/html\r\nx-injected: 1', '']) {
        const artifact = { inlineData: { mimeType, data: 'AAEC' } };
        await service.saveArtifact({ ...file(), artifact });
        same(await service.loadArtifact(file()), artifact);
      }
    },
  },
  {
    id: 'artifact.empty',
    sentence: 'stores a file of zero bytes',
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
    sentence: 'reads base64url as the same bytes and returns base64',
    contracts: [37],
    async check(service) {
      const url = everyByte.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      await service.saveArtifact({ ...file(), artifact: { inlineData: { mimeType: 'a/b', data: url } } });
      same((await service.loadArtifact(file()))?.inlineData?.data, everyByte);
    },
  },
  {
    id: 'artifact.large',
    sentence: 'returns a file at the size limit byte for byte',
    contracts: [37],
    async check(service) {
      const bytes = Uint8Array.from({ length: 65_536 }, (_, i) => (i * 31 + (i >> 8)) % 256);
      await service.saveArtifact({
        ...file(),
        artifact: { inlineData: { mimeType: 'a/b', data: encodeBase64(bytes) } },
      });
      const loaded = decodeBase64((await service.loadArtifact(file()))!.inlineData!.data)!;
      assert.equal(loaded.length, bytes.length);
      assert.ok(
        loaded.every((byte, i) => byte === bytes[i]),
        'the loaded bytes must be the saved bytes',
      );
    },
  },
  {
    id: 'artifact.too-large',
    sentence: 'rejects a file one byte over the limit with ARTIFACT_TOO_LARGE and assigns no version',
    contracts: [37],
    async check(service) {
      const data = encodeBase64(new Uint8Array(65_536 + 1));
      await rejectsWith(
        'ARTIFACT_TOO_LARGE',
        service.saveArtifact({ ...file(), artifact: { inlineData: { mimeType: 'a/b', data } } }),
      );
      await rejectsWith(
        'ARTIFACT_TOO_LARGE',
        service.saveArtifact({ ...file(), artifact: { text: 'x'.repeat(65_536) } }),
      );
      const withSignature = { inlineData: { mimeType: 'a/b', data: '' }, thoughtSignature: 'x'.repeat(65_536) };
      await rejectsWith('ARTIFACT_TOO_LARGE', service.saveArtifact({ ...file(), artifact: withSignature }));
      same(await service.listArtifactKeys(refTo()), []);
      same(await service.saveArtifact({ ...file(), artifact: text('small') }), 0);
    },
  },
  {
    id: 'artifact.text',
    sentence: 'returns a text part unchanged, with odd characters and unknown members',
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
    sentence: 'returns the other members of a part unchanged for each version, also unknown ones',
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
    sentence: 'returns a part with fileData unchanged',
    contracts: [37],
    async check(service) {
      const artifact = { fileData: { fileUri: 'gs://bucket/a', mimeType: 'image/png', displayName: 'a' } };
      await service.saveArtifact({ ...file(), artifact });
      same(await service.loadArtifact(file()), artifact);
    },
  },
  {
    id: 'artifact.refused-parts',
    sentence: 'rejects invalid parts and invalid base64 with INVALID_INPUT and assigns no version',
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
        await rejectsWith(
          'INVALID_INPUT',
          service.saveArtifact({ ...file(), artifact: artifact as never }),
          JSON.stringify(artifact),
        );
      }
      for (const [kind, value] of notJson()) {
        await rejectsWith(
          'INVALID_INPUT',
          service.saveArtifact({ ...file(), artifact: { text: 'a', extra: value } as Part }),
          kind,
        );
        await rejectsWith(
          'INVALID_INPUT',
          service.saveArtifact({ ...file(), artifact: text('a'), customMetadata: { a: value as never } }),
          kind,
        );
      }
      same(await service.listArtifactKeys(refTo()), []);
      same(await service.saveArtifact({ ...file(), artifact: text('a') }), 0);
    },
  },
  {
    id: 'artifact.version-info',
    sentence: 'returns number, type, names, custom metadata and creation time (in seconds) of a version',
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
    sentence: 'does not store changes made to a part or its metadata after a call',
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
];
