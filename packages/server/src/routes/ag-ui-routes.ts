import { runInput } from '../ag-ui/run-input.ts';
import { startAgUiRun } from '../ag-ui/start-ag-ui-run.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';

/** The endpoint of AG-UI. The id of a thread is the id of a session. */
export const agUiRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'POST', paths: ['/ag-ui/:app'], tag: 'front ends', access: 'body', action: 'run', keepKeys: true },
    summary:
      'Runs the last message of the user, answers to interrupts or results of the client’s tools, and streams events of AG-UI 1.0. A repeated `runId` returns the same run. A request with nothing new returns the stored messages.',
    body: runInput,
    responses: {
      200: 'text/event-stream of AG-UI',
      400: 'A member of the body is missing or invalid',
      403: 'Not the user that authorize names, or an answer that does not fit the recorded request',
      404: 'No such app or interrupt',
      409: 'The session is busy, or the interrupt has an answer',
      410: 'The interrupt has expired',
      422: 'An answer of the wrong form. The interrupt stays open',
    },
    handle: startAgUiRun,
  }),
];
