import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import type { Route } from '../route.ts';
import { version } from '../version.ts';
import { wireSchemas } from './wire-schemas.ts';

/** The rows of the API as a document of OpenAPI 3.1. */
export function openApiOf(routes: readonly Route[], basePath: string): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  const ids = new Set<string>();
  for (const row of routes) {
    for (const path of row.paths) {
      const template = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}');
      const method = row.method.toLowerCase();
      (paths[template] ??= {})[method] ??= operation(row, path, template, ids);
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Thole', version, description: 'Agents, sessions and runs, as ADK’s HTTP API has them.' },
    servers: [{ url: basePath || '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...wireSchemas },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(row: Route, path: string, template: string, ids: Set<string>): JsonObject {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const responses: JsonObject = {};
  for (const [status, description] of Object.entries(row.answers))
    responses[status] = response(Number(status), description, row.returns);
  responses['default'] = response(400, 'Anything else that is wrong with the request, or the server');
  const body = row.body && requestBody(row.body);
  return {
    operationId: idOf(row, path, ids),
    summary: row.summary,
    tags: [row.tag],
    parameters: [...inPath, ...(row.query ? inQuery(row.query) : [])],
    ...(body && { requestBody: body }),
    responses,
    security: row.access === 'open' ? [] : [{ bearer: [] }, {}],
    // The others are there for clients that know them.
    ...(path !== row.paths[0] && { deprecated: true }),
  };
}

function response(status: number, description: string, returns?: JsonObject): JsonObject {
  if (status >= 400)
    return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  if (status >= 300 || status === 204) return { description };
  const type = description.startsWith('text/') ? description.split(' ')[0]! : 'application/json';
  const schema = type === 'application/json' ? returns : { type: 'string' };
  return { description, content: { [type]: schema ? { schema } : {} } };
}

function inQuery(query: ZodType): JsonObject[] {
  const { properties = {}, required = [] } = schemaOf(query) as { properties?: JsonObject; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function requestBody(body: ZodType): JsonObject {
  const required = !body.safeParse(undefined).success;
  return { required, content: { 'application/json': { schema: schemaOf(body) } } };
}

// What has no form in JSON Schema may be anything; what refers to itself refers within its own schema.
function schemaOf(schema: ZodType): JsonObject {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return made as JsonObject;
}

function idOf({ method }: Route, path: string, ids: Set<string>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  let id = method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  while (ids.has(id)) id += '_';
  ids.add(id);
  return id;
}
