import { z } from 'zod';
import { listOf, objectOf, ref, text } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route } from '../route.ts';
import { version } from '../version.ts';
import { appInfoOf } from './app-info.ts';

/** Whether the server lives, what it is, and which apps it serves. */
export const systemRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: ['/health'], tag: 'server', access: 'open' },
    summary: 'Whether the server takes new work.',
    returns: objectOf({ status: text }),
    answers: { 200: '{"status": "ok"}', 503: '{"status": "closing"}' },
    handle: ({ house }) =>
      house.runs.draining ? Response.json({ status: 'closing' }, { status: 503 }) : Response.json({ status: 'ok' }),
  }),
  route({
    ...{ method: 'GET', paths: ['/version'], tag: 'server', access: 'open' },
    summary: 'Version and language of the server.',
    returns: objectOf({ version: text, language: text, languageVersion: text }),
    answers: { 200: '{version, language, languageVersion}' },
    handle: () => Response.json({ version, language: 'typescript', languageVersion: languageVersion() }),
  }),
  route({
    ...{ method: 'GET', paths: ['/list-apps'], tag: 'apps' },
    summary: 'The apps that are served: their names, or with `detailed` what each is.',
    query: z.object({ detailed: z.enum(['true', 'false', '1', '0', '']).optional() }),
    returns: { anyOf: [listOf(text), objectOf({ apps: listOf(ref('AppInfo')) })] },
    answers: { 200: 'Names, sorted; or {apps: [app-info]}' },
    handle({ house, query }) {
      const names = [...house.runners.keys()].sort();
      const detailed = query.detailed === 'true' || query.detailed === '1';
      if (!detailed) return Response.json(names);
      return Response.json({ apps: names.map((name) => appInfoOf(house.runners.get(name)!)) });
    },
  }),
  route({
    ...{ method: 'GET', paths: ['/apps/:app/app-info'], tag: 'apps' },
    summary: 'An app and the agents of its tree.',
    returns: ref('AppInfo'),
    answers: { 200: '{name, rootAgentName, description, language, agents, services, suggestions}', 404: 'No such app' },
    handle: ({ runner }) => Response.json(appInfoOf(runner)),
  }),
];

function languageVersion(): string {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node ?? '';
}
