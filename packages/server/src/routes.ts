import type { Route } from './route.ts';
import { agUiRoutes } from './routes/ag-ui-routes.ts';
import { artifactRoutes } from './routes/artifact-routes.ts';
import { conversationRoutes } from './routes/conversation-routes.ts';
import { evaluationRoutes } from './routes/evaluation-routes.ts';
import { graphRoutes } from './routes/graph-routes.ts';
import { interruptRoutes } from './routes/interrupt-routes.ts';
import { memoryRoutes } from './routes/memory-routes.ts';
import { openApiRoutes } from './routes/openapi-routes.ts';
import { openAiRoutes } from './routes/openai-routes.ts';
import { pageRoutes } from './routes/page-routes.ts';
import { rewindRoutes } from './routes/rewind-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { systemRoutes } from './routes/system-routes.ts';
import { traceRoutes } from './routes/trace-routes.ts';
import { uiRoutes } from './routes/ui-routes.ts';

/** All routes. The first route that matches a request serves it. */
export const routes: readonly Route[] = [
  ...systemRoutes,
  ...sessionRoutes,
  ...rewindRoutes,
  ...runRoutes,
  ...interruptRoutes,
  ...uiRoutes,
  ...agUiRoutes,
  ...artifactRoutes,
  ...memoryRoutes,
  ...traceRoutes,
  ...graphRoutes,
  ...evaluationRoutes,
  ...openAiRoutes,
  ...conversationRoutes,
  ...openApiRoutes,
  ...pageRoutes,
];
