import type { Handler } from '@thole/server';
import { toNodeListener } from '@thole/server/node';
import type { FastifyInstance } from 'fastify';

// The handler's basePath is '/api'. It reads bodies itself.
export async function mountHandler(app: FastifyInstance, handler: Handler): Promise<void> {
  const listener = toNodeListener(handler);
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.all('/api/*', (request, reply) => {
      reply.hijack();
      listener(request.raw, reply.raw);
    });
  });
}
