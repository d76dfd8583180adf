import type { ArtifactRef, SessionRef } from '@thole/core';
import { at } from './address.ts';
import type { ArtifactsClient } from './client.ts';
import type { Ask, Tell } from './connection.ts';

/** What is below `…/sessions/:id/artifacts`. A name is one piece of the path, encoded with its slashes. */
export function artifactsClient(ask: Ask, tell: Tell): ArtifactsClient {
  const all = (p: SessionRef): string => at`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}/artifacts`;
  const one = (p: ArtifactRef): string => all(p) + at`/${p.filename}`;
  return {
    list: async (p) => ask(all(p), { call: p }),
    load: async (p) => ask(one(p) + (p.version === undefined ? '' : `/versions/${p.version}`), { call: p }),
    versions: async (p) => ask(`${one(p)}/versions`, { call: p }),
    metadata: async (p) => ask(`${one(p)}/versions/${p.version ?? 'latest'}/metadata`, { call: p }),
    listMetadata: async (p) => ask(`${one(p)}/versions/metadata`, { call: p }),
    save: async ({ filename, artifact, customMetadata, ...p }) =>
      ask(all(p), { call: p, body: { filename, artifact, customMetadata } }),
    delete: async (p) => tell(one(p), { call: p, method: 'DELETE' }),
  };
}
