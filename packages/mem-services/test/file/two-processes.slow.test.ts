import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FileArtifactService } from '@thole/mem-services/file';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageFlags } from '../../../../test/servers/package-flags.ts';

describe('FileArtifactService', () => {
  it('never assigns one version number to two processes (contract 37)', async () => {
    const rootDir = await mkdtemp(join(tmpdir(), 'thole-artifacts-'));
    onTestFinished(() => rm(rootDir, { recursive: true }));
    const script = fileURLToPath(new URL('save-twenty.ts', import.meta.url));
    const saving = [1, 2].map(() => promisify(execFile)(process.execPath, [...packageFlags, script, rootDir]));
    const versions = (await Promise.all(saving)).flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    const all = Array.from({ length: 40 }, (_, i) => i);
    expect(versions.toSorted((a, b) => a - b)).toEqual(all);
    const service = new FileArtifactService({ rootDir });
    const ref = { appName: 'app', userId: 'u', sessionId: 's', filename: 'shared' };
    expect(await service.listVersions(ref)).toEqual(all);
  });
});
