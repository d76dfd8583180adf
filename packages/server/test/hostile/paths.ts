import { ALL, json, MEMORY, ONE, plain, runOf, SECRET } from './hostile-request.ts';
import type { HostileClass } from './hostile-request.ts';

export const encodedPaths: HostileClass = {
  name: 'encoded slashes and dots',
  requests: [
    plain('up from a session', 404, `GET ${ALL}/..%2F..%2Fbob%2Fsessions%2Fs`),
    plain('up from a user', 404, 'GET /apps/demo/users/..%2Fann/sessions/s'),
    plain('encoded twice', 404, `GET ${ALL}/..%252F..%252Fs`),
    plain('encoded dots', 404, `GET ${ALL}/%2e%2e%2fs`),
    plain('a backslash', 404, `GET ${ALL}/..%5C..%5Cs`),
    plain('a file of the machine', 404, `GET ${ONE}/artifacts/..%2F..%2F..%2F..%2Fetc%2Fpasswd`),
    plain('the same, to delete', 404, `DELETE ${ONE}/artifacts-old/..%2Fplan.txt`),
    plain('a version of a file elsewhere', 404, `GET ${ONE}/artifacts/..%2Fplan.txt/versions/0`),
    plain('a file of the page’s neighbours', 404, 'GET /dev-ui/..%2F..%2Fetc%2Fpasswd'),
    plain('the same with plain dots', 404, 'GET /dev-ui/../../etc/passwd'),
    plain('an app that is a path', 404, 'GET /apps/..%2Fdemo/app-info'),
    plain('a run of another session', 404, `GET ${ONE}/runs/..%2F..%2Fs/events`),
    plain('broken escapes', 400, `GET ${ALL}/%2`),
    plain('escapes of no number', 400, `GET ${ALL}/%zz`),
    json('a state change above', 404, `PATCH ${ALL}/..%2Fs`, { stateDelta: { a: SECRET } }),
  ],
};

export const nulAndSurrogates: HostileClass = {
  name: 'NUL and lone surrogates',
  requests: [
    plain('NUL for a session', 400, `GET ${ALL}/%00`),
    plain('NUL in a user', 400, 'GET /apps/demo/users/ann%00/sessions'),
    plain('NUL in an app', 400, 'GET /apps/demo%00/app-info'),
    plain('NUL in the name of a file', 400, `GET ${ONE}/artifacts/plan%00.txt`),
    plain('NUL in the id of a memory', 400, `DELETE ${MEMORY}/turn%00`),
    plain('NUL in a file of the page', 404, 'GET /dev-ui/%00'),
    plain('a lone surrogate in a path', 400, `GET ${ALL}/%ED%A0%80`),
    json('NUL in a session of a run', 400, 'POST /run', runOf({ sessionId: 's\0' })),
    json('a lone surrogate in a user', 400, 'POST /run_sse', JSON.stringify(runOf({})).replace('"ann"', '"\\ud800"')),
    json('a lone surrogate in a new id', 400, `POST ${ALL}`, '{"sessionId":"\\udfff"}'),
    json('NUL in a new id', 400, `POST ${ALL}`, '{"sessionId":"\\u0000"}'),
    json('NUL in an event’s author', 400, `POST ${ALL}`, '{"events":[{"author":"a\\u0000"}]}'),
    json('NUL in a session to remember', 400, `PATCH ${MEMORY}`, '{"sessionId":"\\u0000"}'),
    json(
      'a lone surrogate in a file’s name',
      400,
      `POST ${ONE}/artifacts`,
      '{"filename":"\\ud800","artifact":{"text":"x"}}',
    ),
    { name: 'NUL as it is, in a path', status: 400, bytes: 'GET /list-apps\0 HTTP/1.1\r\nhost: localhost\r\n\r\n' },
    {
      name: 'NUL as it is, in a header',
      status: 400,
      bytes: 'GET /list-apps HTTP/1.1\r\nhost: localhost\r\nx-a: \0\r\n\r\n',
    },
  ],
};

export const unknownRoutes: HostileClass = {
  name: 'unknown routes and methods',
  requests: [
    plain('a route that is none', 404, 'GET /nowhere'),
    plain('a route in capitals', 404, 'GET /LIST-APPS'),
    plain('two slashes', 404, 'GET //list-apps'),
    plain('a slash too many', 404, 'GET /list-apps/'),
    plain('a path with parameters of its own', 404, `GET ${ONE};admin=1/artifacts-all`),
    plain('an app that is not served', 404, 'GET /apps/other/app-info'),
    plain('a session that is not there', 404, `GET ${ALL}/nowhere`),
    plain('a trace that is not there', 404, 'GET /debug/trace/nowhere'),
    plain('PUT', 405, `PUT ${ONE}`),
    plain('GET of a run', 405, 'GET /run'),
    plain('DELETE of the apps', 405, 'DELETE /list-apps'),
    plain('OPTIONS without an origin', 405, `OPTIONS ${ONE}`),
    plain('OPTIONS of everything', 400, 'OPTIONS *'),
    plain('TRACE', 405, 'TRACE /list-apps'),
    plain('CONNECT', 405, 'CONNECT localhost:80'),
    plain('a method that nobody knows', 400, 'HACK /list-apps'),
    plain('a method in small letters', 400, 'get /list-apps'),
    plain('an upgrade of a run', 405, 'GET /run', { connection: 'upgrade, close', upgrade: 'websocket' }),
    plain('an expectation that cannot be met', 417, 'GET /list-apps', { expect: 'the impossible' }),
    { name: 'HTTP/2 without being asked', status: 400, bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    { name: 'HTTP of another time', status: 400, bytes: 'GET /list-apps HTTP/9.9\r\nhost: localhost\r\n\r\n' },
  ],
};

export const wrongQueries: HostileClass = {
  name: 'wrong queries',
  requests: [
    plain('no number of sessions', 400, `GET ${ALL}?limit=${SECRET}`),
    plain('fewer than none', 400, `GET ${ALL}?offset=-1`),
    plain('page 0', 400, `GET ${ALL}?page=0`),
    plain('an order that is none', 400, `GET ${ALL}?order=${SECRET}`),
    plain('an object for a number', 400, `GET ${ONE}?numRecentEvents[$gt]=0&numRecentEvents=${SECRET}`),
    plain('no time', 400, `GET ${ONE}?afterTimestamp=Infinity`),
    plain('a version in words', 400, `GET ${ONE}/artifacts/plan.txt?version=${SECRET}`),
    plain('a version in words, in the path', 400, `GET ${ONE}/artifacts/plan.txt/versions/${SECRET}`),
    plain('a cursor of one’s own', 400, `GET ${MEMORY}?cursor=${SECRET}`),
    plain('a place in a run that is none', 400, `GET ${ONE}/runs/i/events?after=${SECRET}`),
    plain('the same in a header', 400, `GET ${ONE}/runs/i/events`, { 'last-event-id': SECRET }),
  ],
};
