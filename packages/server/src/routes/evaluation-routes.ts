import { findRunner } from '../http/find-runner.ts';
import { anyObject, listOf, objectOf } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';

const LISTS = ['eval_sets', 'eval-sets', 'eval_results', 'eval-results'] as const;
const pathsOf = (name: string): [string, ...string[]] => [`/dev/apps/:app/${name}`, `/apps/:app/${name}`];

/** The routes of evaluation that ADK's web UI requests. Evaluation is not implemented, so all lists are empty. */
export const evaluationRoutes: readonly Route[] = [
  ...LISTS.map((name) =>
    defineRoute({
      ...{ method: 'GET', paths: pathsOf(name), tag: 'evaluation' },
      summary: 'Returns an empty list, because evaluation is not implemented.',
      returns: listOf(anyObject),
      responses: { 200: 'An empty array', 404: 'No such app' },
      handle: (call) => emptyResponse(call, []),
    }),
  ),
  defineRoute({
    ...{ method: 'GET', paths: pathsOf('metrics-info'), tag: 'evaluation' },
    summary: 'Returns an empty list, because evaluation is not implemented.',
    returns: objectOf({ metricsInfo: listOf(anyObject) }),
    responses: { 200: '{"metricsInfo": []}', 404: 'No such app' },
    handle: (call) => emptyResponse(call, { metricsInfo: [] }),
  }),
];

function emptyResponse({ context, params }: RouteCall<unknown, unknown>, body: object): Response {
  findRunner(context, params.app);
  return Response.json(body);
}
