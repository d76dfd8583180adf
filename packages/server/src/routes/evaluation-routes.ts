import { runnerNamed } from '../http/runner-named.ts';
import { anyObject, listOf, objectOf } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';

const LISTS = ['eval_sets', 'eval-sets', 'eval_results', 'eval-results'] as const;
const both = (name: string): [string, ...string[]] => [`/dev/apps/:app/${name}`, `/apps/:app/${name}`];

/** What ADK's web UI asks about evaluation: there is none, and nothing to list. */
export const evaluationRoutes: readonly Route[] = [
  ...LISTS.map((name) =>
    route({
      ...{ method: 'GET', paths: both(name), tag: 'evaluation' },
      summary: 'Evaluation does not exist here yet.',
      returns: listOf(anyObject),
      answers: { 200: 'An empty array', 404: 'No such app' },
      handle: (call) => answer(call, []),
    }),
  ),
  route({
    ...{ method: 'GET', paths: both('metrics-info'), tag: 'evaluation' },
    summary: 'Metrics of evaluation: none.',
    returns: objectOf({ metricsInfo: listOf(anyObject) }),
    answers: { 200: '{"metricsInfo": []}', 404: 'No such app' },
    handle: (call) => answer(call, { metricsInfo: [] }),
  }),
];

function answer({ house, names }: RouteCall<unknown, unknown>, nothing: object): Response {
  runnerNamed(house, names.app);
  return Response.json(nothing);
}
