import { TholeError } from '@thole/core';
import { sessionNotFound } from '@thole/core/kit';
import type { ArtifactRef, ArtifactService, ArtifactVersion } from '@thole/core';
import { z } from 'zod';
import { partInput } from '../http/content-schema.ts';
import { count, jsonObject } from '../http/schemas.ts';
import { listOf, ref, text, integer } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { sessionRefOf } from './session-ref.ts';

const ALL = '/apps/:app/users/:user/sessions/:session/artifacts';
// A name may contain slashes, encoded or not. The routes with longer patterns come first, so `…/versions` at the end of a path
// is not part of the name.
const ONE = `${ALL}/:name{.+}`;
const tag = 'artifacts';
const notFound = 'No such artifact, or no artifact service';
const PARALLEL_READS = 4;

/** Artifacts of a session, and of its user if the name starts with `user:`. Versions are numbered from 0. */
export const artifactRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: [ALL], tag },
    summary: 'Returns the names of the artifacts of a session and of its user, sorted.',
    returns: listOf(text),
    responses: { 200: 'Names', 404: 'No artifact service' },
    handle: async (call) => Response.json(await serviceOf(call).listArtifactKeys(sessionRefOf(call))),
  }),
  defineRoute({
    ...{ method: 'POST', paths: [ALL], tag },
    summary: 'Saves a new version of an artifact.',
    body: z.object({ filename: z.string(), artifact: partInput, customMetadata: jsonObject.nullish() }),
    returns: ref('Artifact'),
    responses: {
      200: '{version, mimeType, displayName, customMetadata, createTime}',
      404: 'No such session, or no artifact service',
      413: 'Too large',
    },
    async handle(call) {
      const { filename, artifact, customMetadata } = call.body;
      const service = serviceOf(call);
      const session = await call.runner.sessionService.getSession({ ...sessionRefOf(call), numRecentEvents: 0 });
      if (!session) throw sessionNotFound(sessionRefOf(call));
      const ref = { ...sessionRefOf(call), filename };
      const version = await service.saveArtifact({ ...ref, artifact, customMetadata: customMetadata ?? undefined });
      return Response.json(await readMetadata(service, { ...ref, version }));
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${ONE}/versions/metadata`], tag },
    summary: 'Returns the metadata of all versions of an artifact.',
    returns: listOf(ref('Artifact')),
    responses: { 200: 'A list of {version, mimeType, …}', 404: notFound },
    async handle(call) {
      const service = serviceOf(call);
      const ref = artifactRefOf(call);
      const versions = await readVersions(service, ref);
      const found: ArtifactVersion[] = [];
      // A service may read the whole file for its metadata.
      for (let i = 0; i < versions.length; i += PARALLEL_READS) {
        const some = versions.slice(i, i + PARALLEL_READS);
        found.push(...(await Promise.all(some.map((version) => readMetadata(service, { ...ref, version })))));
      }
      return Response.json(found);
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${ONE}/versions/:version/metadata`], tag },
    summary: 'Returns the metadata of one version of an artifact. `latest` is the newest.',
    returns: ref('Artifact'),
    responses: { 200: '{version, mimeType, displayName, customMetadata, createTime}', 404: notFound },
    handle: async (call) =>
      Response.json(await readMetadata(serviceOf(call), { ...artifactRefOf(call), version: versionParam(call) })),
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${ONE}/versions/:version`], tag },
    summary: 'Returns one version of an artifact. `latest` is the newest.',
    returns: ref('Part'),
    responses: { 200: 'A part', 404: notFound },
    handle: (call) => load(call, versionParam(call)),
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${ONE}/versions`], tag },
    summary: 'Returns the version numbers of an artifact.',
    returns: listOf(integer),
    responses: { 200: 'Numbers', 404: notFound },
    handle: async (call) => Response.json(await readVersions(serviceOf(call), artifactRefOf(call))),
  }),
  defineRoute({
    ...{ method: 'GET', paths: [ONE], tag },
    summary: 'Returns the newest version of an artifact, or the given `version`.',
    query: z.object({ version: count.optional() }),
    returns: ref('Part'),
    responses: { 200: 'A part', 404: notFound },
    handle: (call) => load(call, call.query.version),
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [ONE], tag },
    summary: 'Deletes all versions of an artifact.',
    responses: {
      204: 'The artifact does not exist any more',
      404: 'No artifact service',
      405: 'The path names a version. Only all versions together can be deleted',
    },
    async handle(call) {
      if (namesVersion(call)) return versionNotDeleted(call);
      await serviceOf(call).deleteArtifact(artifactRefOf(call));
      return new Response(null, { status: 204 });
    },
  }),
];

function serviceOf({ runner }: RouteCall<unknown, unknown>): ArtifactService {
  // This is ADK's message, which its web UI shows.
  if (!runner.artifactService)
    throw new TholeError('ARTIFACT_NOT_CONFIGURED', 'Artifact service is not configured', { status: 404 });
  return runner.artifactService;
}

function artifactRefOf(call: RouteCall<unknown, unknown>): ArtifactRef {
  return { ...sessionRefOf(call), filename: call.params['name']! };
}

/** The end of a path that names versions, such as `/versions/0`. */
const VERSIONS = /\/versions(?:\/[^/]+(?:\/metadata)?)?$/;

/** True if the path is one of the routes of versions. An encoded slash belongs to the name of an artifact. */
function namesVersion({ params, request }: RouteCall<unknown, unknown>): boolean {
  return VERSIONS.test(params['name']!) && VERSIONS.test(request.url.split(/[?#]/, 1)[0]!);
}

function versionNotDeleted({ params }: RouteCall<unknown, unknown>): Response {
  const name = params['name']!.replace(VERSIONS, '');
  const detail = `A version cannot be deleted by itself. Delete the artifact ${name} with all its versions.`;
  return Response.json({ detail, code: 'METHOD_NOT_ALLOWED' }, { status: 405, headers: { allow: 'GET' } });
}

function versionParam({ params }: RouteCall<unknown, unknown>): number | undefined {
  const version = params['version']!;
  if (version === 'latest') return undefined;
  if (!/^\d{1,9}$/.test(version)) throw new TholeError('INVALID_INPUT', `version must be an integer or 'latest'.`);
  return Number(version);
}

async function load(call: RouteCall<unknown, unknown>, version: number | undefined): Promise<Response> {
  const ref = artifactRefOf(call);
  const part = await serviceOf(call).loadArtifact({ ...ref, version });
  if (!part) throw artifactNotFound(ref);
  return Response.json(part);
}

async function readVersions(service: ArtifactService, ref: ArtifactRef): Promise<number[]> {
  const versions = await service.listVersions(ref);
  if (versions.length === 0) throw artifactNotFound(ref);
  return versions;
}

async function readMetadata(
  service: ArtifactService,
  ref: ArtifactRef & { version: number | undefined },
): Promise<ArtifactVersion> {
  const metadata = await service.getArtifactVersion(ref);
  if (!metadata) throw artifactNotFound(ref);
  return metadata;
}

function artifactNotFound({ filename }: ArtifactRef): TholeError {
  return new TholeError('NOT_FOUND', `There is no artifact ${filename}, or it has no such version.`);
}
