import type { ArtifactRef, SessionRef } from '@thole/core';
import { pick } from './pick.ts';
import { path } from './request-path.ts';
import type { ArtifactsClient } from './client.ts';
import type { RequestJson, RequestVoid } from './connection.ts';

/** Returns the methods for `…/sessions/:id/artifacts`. The name of an artifact is one encoded segment of the path. */
export function artifactsClient(requestJson: RequestJson, requestVoid: RequestVoid): ArtifactsClient {
  const listPath = (p: SessionRef): string =>
    path`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}/artifacts`;
  const artifactPath = (p: ArtifactRef): string => listPath(p) + path`/${p.filename}`;
  return {
    list: async (p) => requestJson(listPath(p), { call: p }),
    load: async (p) =>
      requestJson(artifactPath(p) + (p.version === undefined ? '' : `/versions/${p.version}`), { call: p }),
    versions: async (p) => requestJson(`${artifactPath(p)}/versions`, { call: p }),
    metadata: async (p) => requestJson(`${artifactPath(p)}/versions/${p.version ?? 'latest'}/metadata`, { call: p }),
    listMetadata: async (p) => requestJson(`${artifactPath(p)}/versions/metadata`, { call: p }),
    save: async (p) => requestJson(listPath(p), { call: p, body: pick(p, 'filename', 'artifact', 'customMetadata') }),
    delete: async (p) => requestVoid(artifactPath(p), { call: p, method: 'DELETE' }),
  };
}
