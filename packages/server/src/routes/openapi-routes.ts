import { anyObject } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';

/** The documentation of the API in a machine-readable form. */
export const openApiRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: ['/openapi.json'], tag: 'server' },
    summary: 'Returns this API as an OpenAPI 3.1 document.',
    returns: anyObject,
    responses: { 200: 'An OpenAPI document' },
    handle: ({ context }) => new Response(context.openApi(), { headers: { 'content-type': 'application/json' } }),
  }),
];
