import { TholeError } from '@thole/core';
import { sessionNotFound } from '@thole/core/kit';
import type { MemoryEntry, MemoryService, NewMemory } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { contentInput } from '../http/content-schema.ts';
import { count, flag, jsonObject, MAX_ADDED_ITEMS, number, untilFirstError } from '../http/schemas.ts';
import { withoutNulls } from '../http/without-nulls.ts';
import { integer, listOf, objectOf, ref, text } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { filterOf, filterQuery } from './memory-filter.ts';
import { memoryRefOf, scopeQuery } from './memory-scope.ts';
import { sessionRefOf } from './session-ref.ts';

const ALL = '/apps/:app/users/:user/memory';
// The parameter is not called `:id`, because `:id` is validated as a name. The id of a turn consists of two names.
const ONE = `${ALL}/:memory{.+}`;
const tag = 'memory';
const unsupported = 'No memory service, or a service without this method';
const forbidden = 'The client may not use this shared memory';

const members = z.object({
  kind: z.enum(['turn', 'fact', 'note']).nullish(),
  content: contentInput.nullish(),
  text: z.string().nullish(),
  author: z.string().nullish(),
  timestamp: z.number().nullish(),
  sessionId: z.string().nullish(),
  eventId: z.string().nullish(),
  evidence: untilFirstError(z.array(z.string())).nullish(),
  validFrom: z.number().nullish(),
  validTo: z.number().nullish(),
  supersededBy: z.string().nullish(),
  topics: untilFirstError(z.array(z.string())).nullish(),
  expiresAt: z.number().nullish(),
  customMetadata: jsonObject.nullish(),
});
const entryMembers = members.extend({ id: z.string().nullish() });

/** An entry, or the text of a note. */
const newEntry: ZodType<z.infer<typeof entryMembers>> = z
  .preprocess((value) => (typeof value === 'string' ? { text: value } : value), entryMembers)
  .meta({ anyOf: [{ type: 'string' }, jsonSchemaOf(entryMembers)] });

/** The memory of a user across all sessions of an app, or of a team or an agent. */
export const memoryRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'PATCH', paths: [ALL], tag },
    summary: 'Adds the turns of a session to the memory of the user. Existing entries stay unchanged.',
    body: z.object({ sessionId: z.string() }),
    returns: { type: 'null' },
    responses: { 200: 'null', 400: 'No memory service', 404: 'No such session' },
    async handle(call) {
      const service = serviceOf(call);
      const sessionRef = { ...sessionRefOf(call), sessionId: call.body.sessionId };
      const session = await call.runner.sessionService.getSession(sessionRef);
      if (!session) throw sessionNotFound(sessionRef);
      await service.addSessionToMemory(session);
      return Response.json(null);
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [ALL], tag },
    summary:
      'Searches or lists the memory. With `query`: the best results first, each with its score, and with `explain` the parts of the score. Without: a page of the list, newest last, and the cursor of the next page. All conditions must match: `kinds`, `from`, `to`, `validAt`, `author`, `sessionId`, `topic` (repeatable, at least one must match). `team` and `agent` select a shared memory.',
    repeatable: ['topic'],
    query: z.object({
      query: z.string().optional(),
      limit: count.optional(),
      minScore: number.optional(),
      minRelevance: number.optional(),
      timeZone: z.string().optional(),
      explain: flag.optional(),
      cursor: z.string().optional(),
      ...filterQuery,
      ...scopeQuery,
    }),
    returns: objectOf({ memories: listOf(ref('Memory')), 'next?': text }),
    responses: { 200: '{memories}, and `next` if the list has more pages', 400: unsupported, 403: forbidden },
    async handle(call) {
      const service = serviceOf(call);
      const memory = await memoryRefOf(call);
      const { query, minScore, minRelevance, timeZone, explain, cursor } = call.query;
      const filter = filterOf(call.query);
      const limit =
        call.query.limit === undefined ? undefined : Math.min(call.query.limit, call.context.limits.listItems);
      const result =
        query === undefined
          ? await methodOf(service, 'listMemories')({ ...memory, limit, cursor, filter })
          : await service.searchMemory({ ...memory, query, limit, minScore, minRelevance, timeZone, explain, filter });
      return Response.json(withoutNulls(result));
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: [ALL], tag },
    summary:
      'Adds entries unchanged: each has `content` or `text`, or is the text of a note. The default of `kind` is `note`. An entry with the id of another replaces it.',
    body: z.object({ memories: untilFirstError(z.array(newEntry), MAX_ADDED_ITEMS) }),
    query: z.object(scopeQuery),
    returns: objectOf({ memories: listOf(ref('Memory')) }),
    responses: { 200: '{memories}: the entries with their ids', 400: unsupported, 403: forbidden },
    async handle(call) {
      const service = serviceOf(call);
      const newMemories = call.body.memories.map((each): NewMemory => {
        const { kind = 'note', content, ...rest } = toEntry(each);
        // The service rejects an entry without content.
        return { ...rest, kind, content: content! };
      });
      const memory = await memoryRefOf(call);
      const memories = await methodOf(service, 'addMemory')({ ...memory, memories: newMemories });
      return Response.json({ memories: memories.map(withoutNulls) });
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: [`${ALL}/forget`], tag, action: 'delete' },
    summary:
      'Deletes several entries. Later ingestion does not restore them. Evidence of facts is deleted too, unless `keepEvidence` is set.',
    body: z.object({ ids: untilFirstError(z.array(z.string())), keepEvidence: z.boolean().nullish() }),
    query: z.object(scopeQuery),
    returns: objectOf({ count: integer }),
    responses: { 200: '{count}: the number of deleted entries', 400: unsupported, 403: forbidden },
    async handle(call) {
      const service = serviceOf(call);
      const memory = await memoryRefOf(call);
      const { ids, keepEvidence } = call.body;
      const deletion = { ...memory, ids, keepEvidence: keepEvidence ?? undefined };
      return Response.json({ count: await methodOf(service, 'deleteMemory')(deletion) });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${ONE}/same`], tag },
    summary:
      'Returns other entries with the same content as an entry, most similar first. Offer to delete them together with the entry.',
    query: z.object(scopeQuery),
    returns: objectOf({ memories: listOf(ref('Memory')) }),
    responses: { 200: '{memories}', 400: unsupported, 403: forbidden, 404: 'No such entry' },
    async handle(call) {
      const service = serviceOf(call);
      const memory = await memoryRefOf(call);
      const findSame = methodOf(service, 'findSameMemories');
      const id = idOf(call);
      if (!(await methodOf(service, 'getMemory')({ ...memory, id }))) throw memoryNotFound();
      const memories = await findSame({ ...memory, ids: [id] });
      return Response.json({ memories: memories.map(withoutNulls) });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [ONE], tag },
    summary: 'Returns one entry.',
    query: z.object(scopeQuery),
    returns: ref('Memory'),
    responses: { 200: 'The entry', 400: unsupported, 403: forbidden, 404: 'No such entry' },
    async handle(call) {
      const service = serviceOf(call);
      const memory = await memoryRefOf(call);
      const entry = await methodOf(service, 'getMemory')({ ...memory, id: idOf(call) });
      if (!entry) throw memoryNotFound();
      return Response.json(withoutNulls(entry));
    },
  }),
  defineRoute({
    ...{ method: 'PATCH', paths: [ONE], tag },
    summary: 'Changes the given members of an entry.',
    body: members,
    query: z.object(scopeQuery),
    returns: ref('Memory'),
    responses: { 200: 'The entry', 400: unsupported, 403: forbidden, 404: 'No such entry' },
    async handle(call) {
      const service = serviceOf(call);
      const memory = await memoryRefOf(call);
      const update = { ...memory, id: idOf(call), change: toEntry(call.body) };
      const entry = await methodOf(service, 'updateMemory')(update);
      if (!entry) throw memoryNotFound();
      return Response.json(withoutNulls(entry));
    },
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [ONE], tag },
    summary:
      'Deletes an entry. Later ingestion does not restore it. Evidence of a fact is deleted too, unless `keepEvidence` is set.',
    query: z.object({ keepEvidence: flag.optional(), ...scopeQuery }),
    responses: { 204: 'The entry does not exist any more', 400: unsupported, 403: forbidden },
    async handle(call) {
      const service = serviceOf(call);
      const memory = await memoryRefOf(call);
      const { keepEvidence } = call.query;
      await methodOf(service, 'deleteMemory')({ ...memory, ids: [idOf(call)], keepEvidence });
      return new Response(null, { status: 204 });
    },
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [ALL], tag },
    summary: 'Deletes the complete memory of the user, or of the scope in `team` and `agent`.',
    query: z.object(scopeQuery),
    responses: { 204: 'The memory is empty', 400: unsupported, 403: forbidden },
    async handle(call) {
      const service = serviceOf(call);
      await methodOf(service, 'deleteUserMemory')(await memoryRefOf(call));
      return new Response(null, { status: 204 });
    },
  }),
];

function serviceOf({ runner }: RouteCall<unknown, unknown>): MemoryService {
  if (!runner.memoryService)
    throw new TholeError('MEMORY_NOT_CONFIGURED', `The app ${runner.appName} has no memory service.`);
  return runner.memoryService;
}

type OptionalMethod = keyof {
  [name in keyof MemoryService as undefined extends MemoryService[name] ? name : never]: 1;
};

/** Returns an optional method of a service. Throws `MEMORY_NOT_CONFIGURED` if the service does not have it. */
function methodOf<Name extends OptionalMethod>(service: MemoryService, name: Name): NonNullable<MemoryService[Name]> {
  const method = service[name];
  if (!method) throw new TholeError('MEMORY_NOT_CONFIGURED', `The app's memory service has no ${name}.`);
  return method.bind(service) as NonNullable<MemoryService[Name]>;
}

function idOf({ params }: RouteCall<unknown, unknown>): string {
  const id = params['memory']!;
  if (id.includes('\0')) throw new TholeError('INVALID_INPUT', 'The id of a memory must not contain a NUL character.');
  return id;
}

function memoryNotFound(): TholeError {
  return new TholeError('NOT_FOUND', 'There is no such memory.');
}

function toEntry(body: z.infer<typeof members>): Partial<Omit<MemoryEntry, 'score'>> {
  const { text, ...entry } = withoutNulls(body) as Partial<Omit<MemoryEntry, 'score'>> & { text?: string };
  if (text === undefined) return entry;
  if (entry.content !== undefined)
    throw new TholeError('INVALID_INPUT', 'A memory must have text or content, not both.');
  return { ...entry, content: { parts: [{ text }] } };
}

function jsonSchemaOf(schema: ZodType): object {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return jsonSchema;
}
