import { getConnInfo } from '@hono/node-server/conninfo';
import type { Handler } from '@thole/server';
import { Hono } from 'hono';

// The handler's basePath is '/api'. hono/bun and hono/deno have a getConnInfo too.
export const toHonoApp = (handler: Handler): Hono =>
  new Hono().all('/api/*', (context) => handler(context.req.raw, getConnInfo(context).remote));
