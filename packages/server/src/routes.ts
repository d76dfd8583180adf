import type { Route } from './route.ts';
import { runRoutes } from './routes/run-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { systemRoutes } from './routes/system-routes.ts';

/** The API, row by row; the first that fits a request serves it. */
export const routes: readonly Route[] = [...systemRoutes, ...sessionRoutes, ...runRoutes];
