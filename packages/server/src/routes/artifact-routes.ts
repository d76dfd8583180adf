import { TholeError } from '@thole/core';
import type { ArtifactRef, ArtifactService, ArtifactVersion } from '@thole/core';
import { z } from 'zod';
import { partSchema } from '../http/content-schema.ts';
import { count, map } from '../http/schemas.ts';
import { listOf, ref, text, wholeNumber } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { noSession, refOf } from './session-ref.ts';

const ALL = '/apps/:app/users/:user/sessions/:session/artifacts';
// A name may hold slashes, encoded or not; what ends like another row's path belongs to that row, so it stands last.
const ONE = `${ALL}/:name{.+}`;
const tag = 'artifacts';
const missing = 'No such artifact, or no artifact service';

/** Files of a session (and of its user, where the name begins with `user:`), in versions from 0 on. */
export const artifactRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: [ALL], tag },
    summary: 'Names of the files of the session and of its user, sorted.',
    returns: listOf(text),
    answers: { 200: 'Names', 404: 'No artifact service' },
    handle: async (call) => Response.json(await serviceOf(call).listArtifactKeys(refOf(call))),
  }),
  route({
    ...{ method: 'POST', paths: [ALL], tag },
    summary: 'Saves a new version of a file.',
    body: z.object({ filename: z.string(), artifact: partSchema, customMetadata: map.nullish() }),
    returns: ref('Artifact'),
    answers: {
      200: '{version, mimeType, displayName, customMetadata, createTime}',
      404: 'No such session, or no artifact service',
      413: 'Too large',
    },
    async handle(call) {
      const { filename, artifact, customMetadata } = call.body;
      const service = serviceOf(call);
      const session = await call.runner.sessionService.getSession({ ...refOf(call), numRecentEvents: 0 });
      if (!session) throw noSession(refOf(call));
      const ref = { ...refOf(call), filename };
      const version = await service.saveArtifact({ ...ref, artifact, customMetadata: customMetadata ?? undefined });
      return Response.json(await versionOf(service, { ...ref, version }));
    },
  }),
  route({
    ...{ method: 'GET', paths: [`${ONE}/versions/metadata`], tag },
    summary: 'What is known of all versions of a file.',
    returns: listOf(ref('Artifact')),
    answers: { 200: 'A list of {version, mimeType, …}', 404: missing },
    async handle(call) {
      const service = serviceOf(call);
      const ref = artifactOf(call);
      const versions = await versionsOf(service, ref);
      return Response.json(await Promise.all(versions.map((version) => versionOf(service, { ...ref, version }))));
    },
  }),
  route({
    ...{ method: 'GET', paths: [`${ONE}/versions/:version/metadata`], tag },
    summary: 'What is known of one version of a file; `latest` is the newest.',
    returns: ref('Artifact'),
    answers: { 200: '{version, mimeType, displayName, customMetadata, createTime}', 404: missing },
    handle: async (call) =>
      Response.json(await versionOf(serviceOf(call), { ...artifactOf(call), version: versionIn(call) })),
  }),
  route({
    ...{ method: 'GET', paths: [`${ONE}/versions/:version`], tag },
    summary: 'One version of a file; `latest` is the newest.',
    returns: ref('Part'),
    answers: { 200: 'A part', 404: missing },
    handle: (call) => load(call, versionIn(call)),
  }),
  route({
    ...{ method: 'GET', paths: [`${ONE}/versions`], tag },
    summary: 'The versions of a file.',
    returns: listOf(wholeNumber),
    answers: { 200: 'Numbers', 404: missing },
    handle: async (call) => Response.json(await versionsOf(serviceOf(call), artifactOf(call))),
  }),
  route({
    ...{ method: 'GET', paths: [ONE], tag },
    summary: 'The newest version of a file, or the one that is named.',
    query: z.object({ version: count.optional() }),
    returns: ref('Part'),
    answers: { 200: 'A part', 404: missing },
    handle: (call) => load(call, call.query.version),
  }),
  route({
    ...{ method: 'DELETE', paths: [ONE], tag },
    summary: 'Deletes all versions of a file.',
    answers: { 204: 'It is not there', 404: 'No artifact service' },
    async handle(call) {
      await serviceOf(call).deleteArtifact(artifactOf(call));
      return new Response(null, { status: 204 });
    },
  }),
];

function serviceOf({ runner }: RouteCall<unknown, unknown>): ArtifactService {
  // As ADK says it: its web UI shows the sentence.
  if (!runner.artifactService)
    throw new TholeError('ARTIFACT_NOT_CONFIGURED', 'Artifact service is not configured', { status: 404 });
  return runner.artifactService;
}

function artifactOf(call: RouteCall<unknown, unknown>): ArtifactRef {
  return { ...refOf(call), filename: call.names['name']! };
}

function versionIn({ names }: RouteCall<unknown, unknown>): number | undefined {
  const version = names['version']!;
  if (version === 'latest') return undefined;
  if (!/^\d{1,9}$/.test(version)) throw new TholeError('INVALID_INPUT', `version must be a whole number or 'latest'.`);
  return Number(version);
}

async function load(call: RouteCall<unknown, unknown>, version: number | undefined): Promise<Response> {
  const ref = artifactOf(call);
  const part = await serviceOf(call).loadArtifact({ ...ref, version });
  if (!part) throw noArtifact(ref);
  return Response.json(part);
}

async function versionsOf(service: ArtifactService, ref: ArtifactRef): Promise<number[]> {
  const versions = await service.listVersions(ref);
  if (versions.length === 0) throw noArtifact(ref);
  return versions;
}

async function versionOf(
  service: ArtifactService,
  ref: ArtifactRef & { version: number | undefined },
): Promise<ArtifactVersion> {
  const known = await service.getArtifactVersion(ref);
  if (!known) throw noArtifact(ref);
  return known;
}

function noArtifact({ filename }: ArtifactRef): TholeError {
  return new TholeError('NOT_FOUND', `There is no such artifact or version of it: ${filename}.`);
}
