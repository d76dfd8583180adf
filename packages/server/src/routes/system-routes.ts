import { z } from 'zod';
import { flag } from '../http/schemas.ts';
import { listOf, objectOf, ref, text } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';
import { version } from '../version.ts';
import { toAppInfo } from './app-info.ts';

/** Health and version of the server, and its apps. */
export const systemRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: ['/health'], tag: 'server', access: 'open' },
    summary: 'Returns 200 if the server accepts new work.',
    returns: objectOf({ status: text }),
    responses: { 200: '{"status": "ok"}', 503: '{"status": "closing"}' },
    handle: ({ context }) =>
      context.runs.draining ? Response.json({ status: 'closing' }, { status: 503 }) : Response.json({ status: 'ok' }),
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/version'], tag: 'server', access: 'open' },
    summary: 'Returns version and language of the server.',
    returns: objectOf({ version: text, language: text, languageVersion: text }),
    responses: { 200: '{version, language, languageVersion}' },
    handle: () => Response.json({ version, language: 'typescript', languageVersion: languageVersion() }),
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/list-apps'], tag: 'apps' },
    summary: 'Lists the apps: their names, or with `detailed=true` their descriptions.',
    query: z.object({ detailed: flag.optional() }),
    returns: { anyOf: [listOf(text), objectOf({ apps: listOf(ref('AppInfo')) })] },
    responses: { 200: 'Names, sorted; or {apps: [app-info]}' },
    handle({ context, query }) {
      const names = [...context.runners.keys()].sort();
      if (!query.detailed) return Response.json(names);
      return Response.json({ apps: names.map((name) => toAppInfo(context.runners.get(name)!)) });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/apps/:app/app-info'], tag: 'apps' },
    summary: 'Describes an app and its agents.',
    returns: ref('AppInfo'),
    responses: {
      200: '{name, rootAgentName, description, language, agents, services, suggestions}',
      404: 'No such app',
    },
    handle: ({ runner }) => Response.json(toAppInfo(runner)),
  }),
];

function languageVersion(): string {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node ?? '';
}
