import { TholeError } from '@thole/core';
import type { MemoryEntry, MemoryService, NewMemory, UserRef } from '@thole/core';
import { z } from 'zod';
import { contentSchema } from '../http/content-schema.ts';
import { count, flag, map, number } from '../http/schemas.ts';
import { withoutNulls } from '../http/without-nulls.ts';
import { listOf, objectOf, ref, text } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { filterOf, filterQuery } from './memory-filter.ts';
import { noSession } from './session-ref.ts';

const ALL = '/apps/:app/users/:user/memory';
// Not `:id`, which would be checked as a name: ids of turns are made of two names.
const ONE = `${ALL}/:memory{.+}`;
const tag = 'memory';
const unable = 'No memory service, or one that cannot do this';

const members = z.object({
  kind: z.enum(['turn', 'fact', 'note']).nullish(),
  content: contentSchema.nullish(),
  text: z.string().nullish(),
  author: z.string().nullish(),
  timestamp: z.number().nullish(),
  sessionId: z.string().nullish(),
  eventId: z.string().nullish(),
  evidence: z.array(z.string()).nullish(),
  validFrom: z.number().nullish(),
  validTo: z.number().nullish(),
  supersededBy: z.string().nullish(),
  topics: z.array(z.string()).nullish(),
  expiresAt: z.number().nullish(),
  customMetadata: map.nullish(),
});

/** What is remembered of a user over all sessions of an app. */
export const memoryRoutes: readonly Route[] = [
  route({
    ...{ method: 'PATCH', paths: [ALL], tag },
    summary: 'Adds what was said in a session; what is there already stays as it is.',
    body: z.object({ sessionId: z.string() }),
    returns: { type: 'null' },
    answers: { 200: 'null', 400: 'No memory service', 404: 'No such session' },
    async handle(call) {
      const service = serviceOf(call);
      const ref = { ...userOf(call), sessionId: call.body.sessionId };
      const session = await call.runner.sessionService.getSession(ref);
      if (!session) throw noSession(ref);
      await service.addSessionToMemory(session);
      return Response.json(null);
    },
  }),
  route({
    ...{ method: 'GET', paths: [ALL], tag },
    summary:
      'With `query` a search, best first, each with its score (`explain`: and what gave how much to it); else a list, newest last, and the cursor of its next page. Both of what meets all conditions: `kinds`, `from`, `to`, `validAt`, `author`, `sessionId`, `topics`.',
    query: z.object({
      query: z.string().optional(),
      limit: count.optional(),
      minScore: number.optional(),
      minRelevance: number.optional(),
      timeZone: z.string().optional(),
      explain: flag.optional(),
      cursor: z.string().optional(),
      ...filterQuery,
    }),
    returns: objectOf({ memories: listOf(ref('Memory')), 'next?': text }),
    answers: { 200: '{memories}, and `next` where more are to be listed', 400: unable },
    async handle(call) {
      const service = serviceOf(call);
      const { query, minScore, minRelevance, timeZone, explain, cursor } = call.query;
      const filter = filterOf(call.query);
      const limit =
        call.query.limit === undefined ? undefined : Math.min(call.query.limit, call.house.limits.listItems);
      const user = userOf(call);
      const found =
        query === undefined
          ? await able(service, 'listMemories')({ ...user, limit, cursor, filter })
          : await service.searchMemory({ ...user, query, limit, minScore, minRelevance, timeZone, explain, filter });
      return Response.json(withoutNulls(found));
    },
  }),
  route({
    ...{ method: 'POST', paths: [ALL], tag },
    summary:
      'Keeps entries as they are: each {content} or {text}, a `note` unless `kind` says otherwise. One with the id of another takes its place.',
    body: z.object({ memories: z.array(members.extend({ id: z.string().nullish() })) }),
    returns: objectOf({ memories: listOf(ref('Memory')) }),
    answers: { 200: '{memories}: the entries with their ids', 400: unable },
    async handle(call) {
      const service = serviceOf(call);
      const given = call.body.memories.map((each): NewMemory => {
        const { kind = 'note', content, ...rest } = entryOf(each);
        // The service refuses what has no content.
        return { ...rest, kind, content: content! };
      });
      const memories = await able(service, 'addMemory')({ ...userOf(call), memories: given });
      return Response.json({ memories: memories.map(withoutNulls) });
    },
  }),
  route({
    ...{ method: 'PATCH', paths: [ONE], tag },
    summary: 'Corrects an entry: the members that are given are put in the place of its own.',
    body: members,
    returns: ref('Memory'),
    answers: { 200: 'The entry', 400: unable, 404: 'No such entry' },
    async handle(call) {
      const service = serviceOf(call);
      const entry = await able(
        service,
        'updateMemory',
      )({ ...userOf(call), id: idOf(call), change: entryOf(call.body) });
      if (!entry) throw new TholeError('NOT_FOUND', 'There is no such memory.');
      return Response.json(withoutNulls(entry));
    },
  }),
  route({
    ...{ method: 'DELETE', paths: [ONE], tag },
    summary:
      'Forgets an entry, which does not come back by itself; what it rests on goes along unless `keepEvidence` says otherwise.',
    query: z.object({ keepEvidence: flag.optional() }),
    answers: { 204: 'It is not there', 400: unable },
    async handle(call) {
      const service = serviceOf(call);
      await able(
        service,
        'deleteMemory',
      )({ ...userOf(call), ids: [idOf(call)], keepEvidence: call.query.keepEvidence });
      return new Response(null, { status: 204 });
    },
  }),
  route({
    ...{ method: 'DELETE', paths: [ALL], tag },
    summary: 'Forgets everything of the user.',
    answers: { 204: 'Nothing is there', 400: unable },
    async handle(call) {
      await able(serviceOf(call), 'deleteUserMemory')(userOf(call));
      return new Response(null, { status: 204 });
    },
  }),
];

function serviceOf({ runner }: RouteCall<unknown, unknown>): MemoryService {
  if (!runner.memoryService) throw new TholeError('MEMORY_NOT_CONFIGURED', `The app ${runner.appName} has no memory.`);
  return runner.memoryService;
}

type Ability = 'listMemories' | 'addMemory' | 'updateMemory' | 'deleteMemory' | 'deleteUserMemory';

/** An ability that not every service has. */
function able<A extends Ability>(service: MemoryService, ability: A): NonNullable<MemoryService[A]> {
  const method = service[ability];
  if (!method) throw new TholeError('MEMORY_NOT_CONFIGURED', `The app's memory service has no ${ability}.`);
  return method.bind(service) as NonNullable<MemoryService[A]>;
}

function userOf({ names }: RouteCall<unknown, unknown>): UserRef {
  return { appName: names.app, userId: names.user };
}

function idOf({ names }: RouteCall<unknown, unknown>): string {
  const id = names['memory']!;
  if (id.includes('\0')) throw new TholeError('INVALID_INPUT', 'The id of a memory must not hold a NUL character.');
  return id;
}

function entryOf(given: z.infer<typeof members>): Partial<Omit<MemoryEntry, 'score'>> {
  const { text, ...entry } = withoutNulls(given) as Partial<Omit<MemoryEntry, 'score'>> & { text?: string };
  if (text === undefined) return entry;
  if (entry.content !== undefined)
    throw new TholeError('INVALID_INPUT', 'A memory must have text or content, not both.');
  return { ...entry, content: { parts: [{ text }] } };
}
