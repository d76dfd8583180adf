import type { ArtifactService } from '@thole/core';
import { RECORD_COUNT, storeCall } from './store-call.ts';
import { tracedService } from './traced-service.ts';
import type { Describe, TracingRuntime } from './traced-service.ts';

/** Returns the artifact service with a span for each call: `save_artifact`, `load_artifact` … */
export function traceArtifacts<S extends ArtifactService>(service: S, runtime: TracingRuntime): S {
  return tracedService(service, runtime, artifactCalls);
}

const artifactCalls: ReadonlyMap<PropertyKey, Describe> = new Map<PropertyKey, Describe>([
  [
    'saveArtifact',
    storeCall<number>('artifact', 'save_artifact', (version) => ({ 'thole.artifact.version': version })),
  ],
  ['loadArtifact', storeCall('artifact', 'load_artifact')],
  [
    'listArtifactKeys',
    storeCall<readonly string[]>('artifact', 'list_artifact_keys', (keys) => ({ [RECORD_COUNT]: keys.length })),
  ],
  [
    'listVersions',
    storeCall<readonly number[]>('artifact', 'list_versions', (versions) => ({ [RECORD_COUNT]: versions.length })),
  ],
  ['getArtifactVersion', storeCall('artifact', 'get_artifact_version')],
  ['deleteArtifact', storeCall('artifact', 'delete_artifact')],
  ['deleteSessionArtifacts', storeCall('artifact', 'delete_session_artifacts')],
  ['deleteUserArtifacts', storeCall('artifact', 'delete_user_artifacts')],
]);
