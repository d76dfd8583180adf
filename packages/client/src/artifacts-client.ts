import type { ArtifactRef, SessionRef } from '@thole/core';
import { path } from './request-path.ts';
import type { ArtifactsClient } from './client.ts';
import type { RequestJson, RequestVoid } from './connection.ts';

/** Returns the methods for `…/sessions/:id/artifacts`. The name of an artifact is one encoded segment of the path. */
export function artifactsClient(requestJson: RequestJson, requestVoid: RequestVoid): ArtifactsClient {
  const all = (p: SessionRef): string => path`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}/artifacts`;
  const one = (p: ArtifactRef): string => all(p) + path`/${p.filename}`;
  return {
    list: async (p) => requestJson(all(p), { call: p }),
    load: async (p) => requestJson(one(p) + (p.version === undefined ? '' : `/versions/${p.version}`), { call: p }),
    versions: async (p) => requestJson(`${one(p)}/versions`, { call: p }),
    metadata: async (p) => requestJson(`${one(p)}/versions/${p.version ?? 'latest'}/metadata`, { call: p }),
    listMetadata: async (p) => requestJson(`${one(p)}/versions/metadata`, { call: p }),
    save: async ({ filename, artifact, customMetadata, ...p }) =>
      requestJson(all(p), { call: p, body: { filename, artifact, customMetadata } }),
    delete: async (p) => requestVoid(one(p), { call: p, method: 'DELETE' }),
  };
}
