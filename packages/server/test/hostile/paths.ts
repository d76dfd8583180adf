import { ALL, json, MEMORY, ONE, plain, runOf, SECRET } from './hostile-request.ts';
import type { HostileClass } from './hostile-request.ts';

export const encodedPaths: HostileClass = {
  name: 'encoded slashes and dots',
  requests: [
    plain('a parent path in a session id', 404, `GET ${ALL}/..%2F..%2Fbob%2Fsessions%2Fs`),
    plain('a parent path in a user id', 404, 'GET /apps/demo/users/..%2Fann/sessions/s'),
    plain('a double-encoded path', 404, `GET ${ALL}/..%252F..%252Fs`),
    plain('encoded dots', 404, `GET ${ALL}/%2e%2e%2fs`),
    plain('a backslash', 404, `GET ${ALL}/..%5C..%5Cs`),
    plain('a file path as artifact name', 404, `GET ${ONE}/artifacts/..%2F..%2F..%2F..%2Fetc%2Fpasswd`),
    plain('a parent path in a route to delete', 404, `DELETE ${ONE}/artifacts-old/..%2Fplan.txt`),
    plain('a version of an artifact in a parent path', 404, `GET ${ONE}/artifacts/..%2Fplan.txt/versions/0`),
    plain('a file outside the page', 404, 'GET /dev-ui/..%2F..%2Fetc%2Fpasswd'),
    plain('a file outside the page with plain dots', 404, 'GET /dev-ui/../../etc/passwd'),
    plain('a path as app name', 404, 'GET /apps/..%2Fdemo/app-info'),
    plain('a parent path as invocation id', 404, `GET ${ONE}/runs/..%2F..%2Fs/events`),
    plain('incomplete percent-encoding', 400, `GET ${ALL}/%2`),
    plain('invalid percent-encoding', 400, `GET ${ALL}/%zz`),
    json('a state change with a parent path', 404, `PATCH ${ALL}/..%2Fs`, { stateDelta: { a: SECRET } }),
  ],
};

export const nulAndSurrogates: HostileClass = {
  name: 'NUL and lone surrogates',
  requests: [
    plain('NUL as session id', 400, `GET ${ALL}/%00`),
    plain('NUL in a user', 400, 'GET /apps/demo/users/ann%00/sessions'),
    plain('NUL in an app', 400, 'GET /apps/demo%00/app-info'),
    plain('NUL in an artifact name', 400, `GET ${ONE}/artifacts/plan%00.txt`),
    plain('NUL in a memory id', 400, `DELETE ${MEMORY}/turn%00`),
    plain('NUL in a file name of the page', 404, 'GET /dev-ui/%00'),
    plain('a lone surrogate in a path', 400, `GET ${ALL}/%ED%A0%80`),
    json('NUL in the session id of a run', 400, 'POST /run', runOf({ sessionId: 's\0' })),
    json(
      'a lone surrogate in a user id',
      400,
      'POST /run_sse',
      JSON.stringify(runOf({})).replace('"ann"', '"\\ud800"'),
    ),
    json('a lone surrogate in a new session id', 400, `POST ${ALL}`, '{"sessionId":"\\udfff"}'),
    json('NUL in a new session id', 400, `POST ${ALL}`, '{"sessionId":"\\u0000"}'),
    json('NUL in the author of an event', 400, `POST ${ALL}`, '{"events":[{"author":"a\\u0000"}]}'),
    json('NUL in a session id for memory', 400, `PATCH ${MEMORY}`, '{"sessionId":"\\u0000"}'),
    json(
      'a lone surrogate in an artifact name',
      400,
      `POST ${ONE}/artifacts`,
      '{"filename":"\\ud800","artifact":{"text":"x"}}',
    ),
    { name: 'an unencoded NUL in a path', status: 400, bytes: 'GET /list-apps\0 HTTP/1.1\r\nhost: localhost\r\n\r\n' },
    {
      name: 'an unencoded NUL in a header',
      status: 400,
      bytes: 'GET /list-apps HTTP/1.1\r\nhost: localhost\r\nx-a: \0\r\n\r\n',
    },
  ],
};

export const unknownRoutes: HostileClass = {
  name: 'unknown routes and methods',
  requests: [
    plain('an unknown route', 404, 'GET /nowhere'),
    plain('a route in upper case', 404, 'GET /LIST-APPS'),
    plain('two slashes at the start', 404, 'GET //list-apps'),
    plain('an additional slash at the end', 404, 'GET /list-apps/'),
    plain('path parameters after a semicolon', 404, `GET ${ONE};admin=1/artifacts-all`),
    plain('an unknown app', 404, 'GET /apps/other/app-info'),
    plain('an unknown session', 404, `GET ${ALL}/nowhere`),
    plain('an unknown trace', 404, 'GET /debug/trace/nowhere'),
    plain('PUT', 405, `PUT ${ONE}`),
    plain('GET of a run', 405, 'GET /run'),
    plain('DELETE of the apps', 405, 'DELETE /list-apps'),
    plain('OPTIONS without an origin', 405, `OPTIONS ${ONE}`),
    plain('OPTIONS of everything', 400, 'OPTIONS *'),
    plain('TRACE', 405, 'TRACE /list-apps'),
    plain('CONNECT', 405, 'CONNECT localhost:80'),
    plain('an unknown method', 400, 'HACK /list-apps'),
    plain('a method in lower case', 400, 'get /list-apps'),
    plain('a WebSocket upgrade', 405, 'GET /run', { connection: 'upgrade, close', upgrade: 'websocket' }),
    plain('an unknown Expect header', 417, 'GET /list-apps', { expect: 'the impossible' }),
    { name: 'HTTP/2 without negotiation', status: 400, bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    { name: 'an unknown HTTP version', status: 400, bytes: 'GET /list-apps HTTP/9.9\r\nhost: localhost\r\n\r\n' },
  ],
};

export const wrongQueries: HostileClass = {
  name: 'wrong queries',
  requests: [
    plain('a string as limit', 400, `GET ${ALL}?limit=${SECRET}`),
    plain('a negative offset', 400, `GET ${ALL}?offset=-1`),
    plain('page 0', 400, `GET ${ALL}?page=0`),
    plain('an unknown order', 400, `GET ${ALL}?order=${SECRET}`),
    plain('an object as number', 400, `GET ${ONE}?numRecentEvents[$gt]=0&numRecentEvents=${SECRET}`),
    plain('Infinity as time', 400, `GET ${ONE}?afterTimestamp=Infinity`),
    plain('a string as version', 400, `GET ${ONE}/artifacts/plan.txt?version=${SECRET}`),
    plain('a string as version in the path', 400, `GET ${ONE}/artifacts/plan.txt/versions/${SECRET}`),
    plain('a forged cursor', 400, `GET ${MEMORY}?cursor=${SECRET}`),
    plain('a string as seq', 400, `GET ${ONE}/runs/i/events?after=${SECRET}`),
    plain('a string as Last-Event-ID', 400, `GET ${ONE}/runs/i/events`, { 'last-event-id': SECRET }),
  ],
};
