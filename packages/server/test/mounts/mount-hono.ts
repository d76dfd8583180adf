import type { Handler } from '@thole/server';
import { Hono } from 'hono';

// The handler's basePath is '/api'.
export const mounted = (handler: Handler): Hono => new Hono().all('/api/*', (context) => handler(context.req.raw));
