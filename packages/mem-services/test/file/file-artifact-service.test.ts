import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactService } from '@thole/core';
import { FileArtifactService } from '@thole/mem-services/file';
import { artifactServiceCases, register } from '@thole/testing';
import { afterAll, describe, expect, it } from 'vitest';

const folders = new Map<ArtifactService, string>();
const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'thole-artifacts-'));
const maxBytes = 65_536;

register({ describe, it }, artifactServiceCases, {
  name: 'FileArtifactService',
  claims: ['durable'],
  async create(runtime) {
    const rootDir = await newFolder();
    const service = new FileArtifactService({ rootDir, runtime, maxBytes });
    folders.set(service, rootDir);
    return service;
  },
  reopen: (service, runtime) => new FileArtifactService({ rootDir: folders.get(service)!, runtime, maxBytes }),
  destroy: (service) => rm(folders.get(service)!, { recursive: true }),
});

describe('FileArtifactService', () => {
  const created: string[] = [];
  afterAll(() => Promise.all(created.map((folder) => rm(folder, { recursive: true }))));

  const createService = async (): Promise<{ service: FileArtifactService; rootDir: string }> => {
    const rootDir = await newFolder();
    created.push(rootDir);
    return { service: new FileArtifactService({ rootDir }), rootDir };
  };
  const ref = { appName: '../../app', userId: '/etc', sessionId: '..', filename: '../../../escape' };

  it('ignores the files that a file manager adds to its folders', async () => {
    const { service, rootDir } = await createService();
    await service.saveArtifact({ ...ref, artifact: { text: 'a' } });
    const [session] = (await readdir(rootDir, { recursive: true })).filter((path) => /sessions\/[^/]+$/.test(path));
    await writeFile(join(rootDir, session!, '.DS_Store'), '');
    expect(await service.listArtifactKeys(ref)).toEqual([ref.filename]);
  });

  it('uses only lower-case ASCII path components of at most 130 characters (contract 37)', async () => {
    const { service, rootDir } = await createService();
    await service.saveArtifact({ ...ref, artifact: { text: 'a' } });
    await service.saveArtifact({ ...ref, filename: 'Ü'.repeat(200), artifact: { text: 'a' } });
    expect((await readdir(rootDir)).toSorted()).toEqual(['artifacts', 'temporary']);
    for (const path of await readdir(join(rootDir, 'artifacts'), { recursive: true }))
      expect(path).toMatch(/^([a-z0-9_.%-]{1,130}\/?)+$/);
  });

  it.each([
    [
      'meta.json',
      /^The file \S+meta\.json is damaged\. Restore it from a backup, or delete the folder \S+, which deletes/,
    ],
    ['bytes', /^The stored content of an artifact is damaged\. Save the artifact again\.$/],
  ])('names the problem and the next step if %s of a version is damaged', async (name, message) => {
    const { service, rootDir } = await createService();
    await service.saveArtifact({ ...ref, artifact: { text: 'secret' } });
    const [file] = (await readdir(rootDir, { recursive: true })).filter((path) => path.endsWith(`/${name}`));
    await writeFile(join(rootDir, file!), '{"secret');
    const error = await service.loadArtifact(ref).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'STORE_VERSION', message: expect.stringMatching(message) });
    // The error of the parser would contain a part of the file.
    expect((error as Error).cause).toBeUndefined();
    await service.saveArtifact({ ...ref, artifact: { text: 'new' } });
    expect(await service.loadArtifact(ref)).toEqual({ text: 'new' });
  });

  it('leaves no files in the temporary folder', async () => {
    const { service, rootDir } = await createService();
    await Promise.all(['a', 'b', 'c'].map((text) => service.saveArtifact({ ...ref, artifact: { text } })));
    await service.deleteArtifact(ref);
    expect(await readdir(join(rootDir, 'temporary'))).toEqual([]);
  });

  it('leaves no files in the temporary folder if a file cannot be saved', async () => {
    const { service, rootDir } = await createService();
    await service.saveArtifact({ ...ref, artifact: { text: 'a' } });
    await rm(join(rootDir, 'artifacts'), { recursive: true });
    await writeFile(join(rootDir, 'artifacts'), '');
    const saving = service.saveArtifact({ ...ref, artifact: { text: 'b' } });
    await expect(saving).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await readdir(join(rootDir, 'temporary'))).toEqual([]);
  });

  it('treats a missing folder as empty, and creates it at the first save', async () => {
    const { rootDir } = await createService();
    const service = new FileArtifactService({ rootDir: join(rootDir, 'not', 'there', 'yet') });
    expect(await service.listArtifactKeys(ref)).toEqual([]);
    expect(await service.saveArtifact({ ...ref, artifact: { text: 'a' } })).toBe(0);
  });

  it('throws STORE_UNAVAILABLE with the reason if the folder cannot be used', async () => {
    const { rootDir } = await createService();
    const file = join(rootDir, 'file');
    await writeFile(file, '');
    const service = new FileArtifactService({ rootDir: file });
    const error = {
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`${file} cannot be read or written: ENOTDIR`),
    };
    await expect(service.saveArtifact({ ...ref, artifact: { text: 'a' } })).rejects.toMatchObject(error);
    await expect(service.loadArtifact(ref)).rejects.toMatchObject(error);
    await expect(service.listVersions(ref)).rejects.toMatchObject(error);
    await expect(service.listArtifactKeys(ref)).rejects.toMatchObject(error);
    await expect(service.deleteArtifact(ref)).rejects.toMatchObject(error);
    await expect(service.deleteUserArtifacts(ref)).rejects.toMatchObject(error);
  });

  it('throws for an invalid rootDir', () => {
    expect(() => new FileArtifactService({ rootDir: '' })).toThrow('rootDir');
    expect(() => new FileArtifactService(undefined as never)).toThrow(
      'Options of FileArtifactService must be an object',
    );
  });
});
