import { openApiOf } from '../openapi/openapi-of.ts';
import { anyObject } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route } from '../route.ts';

/** The API as a document for machines. */
export const openApiRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: ['/openapi.json'], tag: 'server' },
    summary: 'This API, as OpenAPI 3.1.',
    returns: anyObject,
    answers: { 200: 'An OpenAPI document' },
    handle: ({ house }) => Response.json(openApiOf(house.routes, house.basePath)),
  }),
];
