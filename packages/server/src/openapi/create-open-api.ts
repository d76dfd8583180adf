import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import type { Route } from '../route.ts';
import { version } from '../version.ts';
import { wireSchemas } from './wire-schemas.ts';

/** Returns the routes as an OpenAPI 3.1 document. */
export function createOpenApi(routes: readonly Route[], basePath: string): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  const ids = new Set<string>();
  for (const route of routes) {
    for (const path of route.paths) {
      const template = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}');
      const method = route.method.toLowerCase();
      (paths[template] ??= {})[method] ??= toOperation(route, path, template, ids);
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Thole', version, description: 'Agents, sessions and runs: ADK’s HTTP API.' },
    servers: [{ url: basePath || '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...wireSchemas },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function toOperation(route: Route, path: string, template: string, ids: Set<string>): JsonObject {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const pathParameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const responses: JsonObject = {};
  for (const [status, description] of Object.entries(route.responses))
    responses[status] = toResponse(Number(status), description, route.returns);
  responses['default'] = toResponse(400, 'Another error of the request or the server');
  const body = route.body && toRequestBody(route.body);
  return {
    operationId: operationIdOf(route, path, ids),
    summary: route.summary,
    tags: [route.tag],
    parameters: [...pathParameters, ...(route.query ? toQueryParameters(route.query) : [])],
    ...(body && { requestBody: body }),
    responses,
    security: route.access === 'open' ? [] : [{ bearer: [] }, {}],
    // Paths after the first one exist only for existing clients.
    ...(path !== route.paths[0] && { deprecated: true }),
  };
}

function toResponse(status: number, description: string, returns?: JsonObject): JsonObject {
  if (status >= 400)
    return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  if (status >= 300 || status === 204) return { description };
  const type = description.startsWith('text/') ? description.split(' ')[0]! : 'application/json';
  const schema = type === 'application/json' ? returns : { type: 'string' };
  return { description, content: { [type]: schema ? { schema } : {} } };
}

function toQueryParameters(query: ZodType): JsonObject[] {
  const { properties = {}, required = [] } = schemaOf(query) as { properties?: JsonObject; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function toRequestBody(body: ZodType): JsonObject {
  const required = !body.safeParse(undefined).success;
  return { required, content: { 'application/json': { schema: schemaOf(body) } } };
}

// A zod type without a JSON Schema is documented as any value.
function schemaOf(schema: ZodType): JsonObject {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return jsonSchema as JsonObject;
}

function operationIdOf({ method }: Route, path: string, ids: Set<string>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  let id = method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  while (ids.has(id)) id += '_';
  ids.add(id);
  return id;
}
