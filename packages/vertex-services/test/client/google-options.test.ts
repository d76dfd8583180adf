import { GcsArtifactService, VertexAiSessionService } from '@thole/vertex-services';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => void vi.unstubAllEnvs());

describe('Variables with an address', () => {
  it.each(['not a url', 'localhost:8080', 'ftp://localhost'])('reject GOOGLE_VERTEX_BASE_URL=%s', (value) => {
    vi.stubEnv('GOOGLE_VERTEX_BASE_URL', value);
    expect(() => new VertexAiSessionService({ agentEngineId: '5', project: 'hotel', location: 'global' })).toThrow(
      'GOOGLE_VERTEX_BASE_URL must be an http or https URL.',
    );
  });

  it.each(['not a url', 'ftp://localhost'])('reject STORAGE_EMULATOR_HOST=%s', (value) => {
    vi.stubEnv('STORAGE_EMULATOR_HOST', value);
    expect(() => new GcsArtifactService({ bucket: 'plans' })).toThrow(
      'STORAGE_EMULATOR_HOST must be an http or https URL.',
    );
  });

  it('accept a host without a scheme in STORAGE_EMULATOR_HOST', () => {
    vi.stubEnv('STORAGE_EMULATOR_HOST', 'localhost:4443');
    expect(() => new GcsArtifactService({ bucket: 'plans' })).not.toThrow();
  });
});
