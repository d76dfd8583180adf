import { inspect } from 'node:util';
import { createEvent } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { GcsArtifactService, VertexAiMemoryBankService, VertexAiSessionService } from '@thole/vertex-services';
import type { VertexAiSessionServiceOptions } from '@thole/vertex-services';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';
import { newEngines } from '../new-engines.ts';
import { passTime } from '../pass-time.ts';

let server: GoogleServer;
let runtime: FixedRuntime;
beforeAll(async () => void (server = await GoogleServer.start()));
beforeEach(() => {
  runtime = new FixedRuntime();
  server.requests.length = 0;
});
afterEach(() => {
  server.faults.length = 0;
  server.operations.reads = 1;
});
afterAll(() => server.close());

/** Time limit that `passTime` does not reach while a busy machine answers. */
const LONG_MS = 600_000;
const place = { project: 'hotel', location: 'us-central1' };
const user = { appName: 'hotel', userId: 'ada' };
const key = { ...user, sessionId: 's1' };

function optionsOfTest() {
  return { ...place, ...server.options, agentEngineId: newEngines(), runtime, timeoutMs: LONG_MS };
}

function open(more: VertexAiSessionServiceOptions = {}): VertexAiSessionService {
  return new VertexAiSessionService({ ...optionsOfTest(), ...more });
}

function openMemory(more: { timeoutMs?: number } = {}): VertexAiMemoryBankService {
  return new VertexAiMemoryBankService({ ...optionsOfTest(), ...more });
}

function errorAnswer(status: number, name: string, message: string): { status: number; json: object } {
  return { status, json: { error: { code: status, status: name, message } } };
}

describe('Requests to Google', () => {
  it('get a new access token after a 401, once', async () => {
    const service = open();
    await service.createSession(key);
    const before = server.tokens;
    server.revokeTokens();
    expect(await service.getSession(key)).toMatchObject({ id: 's1' });
    expect(server.tokens).toBe(before + 1);
  });

  it('name the account if a new token is rejected with 401 too', async () => {
    const service = open();
    server.faults.push({ on: 'GET /sessions/s1', times: 2, answer: errorAnswer(401, 'UNAUTHENTICATED', 'No.') });
    await expect(service.getSession(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message:
        'Vertex AI rejected the access token. Run `gcloud auth application-default login` again, or check the key of the service account.',
    });
    expect(server.requestsOn('GET', '/sessions/s1')).toHaveLength(2);
  });

  it('wait for the time in Retry-After after a 429', async () => {
    const service = open();
    await service.createSession(key);
    const quota = errorAnswer(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for session reads.');
    server.faults.push({ on: 'GET /sessions/s1', answer: { ...quota, headers: { 'retry-after': '7' } } });
    expect(await passTime(runtime, service.getSession(key))).toMatchObject({ id: 's1' });
    expect(runtime.monotonic()).toBeGreaterThanOrEqual(7000);
  });

  it('report that the quota is used up after the last attempt', async () => {
    const quota = errorAnswer(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for session writes.');
    server.faults.push({ on: 'POST /sessions', times: 4, answer: quota });
    await expect(passTime(runtime, open().createSession(key))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      message:
        "The quota of Vertex AI is used up. Google's message: Quota exceeded for session writes. Try again later.",
    });
    expect(server.requestsOn('POST', '/sessions')).toHaveLength(4);
  });

  it('repeat a read after a 503 and after a broken connection', async () => {
    const service = open();
    await service.createSession(key);
    server.faults.push({ on: 'GET /sessions/s1', answer: errorAnswer(503, 'UNAVAILABLE', 'Try later.') });
    server.faults.push({ on: 'GET /sessions/s1', answer: 'cut' });
    expect(await passTime(runtime, service.getSession(key))).toMatchObject({ id: 's1' });
  });

  it('are repeated up to maxAttempts attempts', async () => {
    server.faults.push({ on: 'GET /sessions', times: 9, answer: errorAnswer(500, 'INTERNAL', 'Oh.') });
    await expect(passTime(runtime, open({ maxAttempts: 2 }).listSessions(user))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'Vertex AI failed with status 500.',
    });
    expect(server.requestsOn('GET', '/sessions')).toHaveLength(2);
  });

  it('end after timeoutMs without an answer', async () => {
    server.faults.push({ on: 'GET /sessions', answer: 'silence' });
    const failing = expect(open({ timeoutMs: 1000 }).listSessions(user)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'Vertex AI did not answer within 1000 ms.',
    });
    await expect.poll(() => server.requestsOn('GET', '/sessions')).toHaveLength(1);
    await runtime.advance(1000);
    await failing;
    expect(server.requestsOn('GET', '/sessions')).toHaveLength(1);
  });

  it('report that a write may have been done if its answer is late', async () => {
    const memory = openMemory({ timeoutMs: 1000 });
    server.faults.push({ on: 'POST /memories', afterWork: true, answer: 'silence' });
    const failing = expect(memory.addMemory({ ...user, memory: 'Likes tea.' })).rejects.toMatchObject({
      code: 'STORE_OUTCOME_UNKNOWN',
      message: 'Vertex AI did not answer within 1000 ms. The write may have been done.',
    });
    await expect.poll(() => server.requestsOn('POST', '/memories')).toHaveLength(1);
    await runtime.advance(1000);
    await failing;
  });

  it('end when the caller aborts', async () => {
    server.faults.push({ on: ':retrieve', answer: 'silence' });
    const caller = new AbortController();
    const memory = new VertexAiMemoryBankService({ ...place, ...server.options, agentEngineId: '7', runtime });
    const searching = memory.searchMemory({ ...user, query: 'tea', signal: caller.signal });
    const reason = new Error('enough');
    setTimeout(() => caller.abort(reason), 20);
    await expect(searching).rejects.toBe(reason);
  });

  it('name the role to grant after a 403', async () => {
    const denied = errorAnswer(403, 'PERMISSION_DENIED', "Permission 'aiplatform.sessions.get' denied.");
    server.faults.push({ on: 'GET /sessions/s1', answer: denied });
    await expect(open().getSession(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message:
        "Vertex AI denied access. Google's message: Permission 'aiplatform.sessions.get' denied. Grant the account the role \"Vertex AI User\" (roles/aiplatform.user), and check the project and the location.",
    });
  });

  it('name the API to enable if it is disabled', async () => {
    const disabled = errorAnswer(403, 'PERMISSION_DENIED', 'Vertex AI API has not been used in project hotel before.');
    server.faults.push({ on: 'GET /sessions/s1', answer: disabled });
    await expect(open().getSession(key)).rejects.toMatchObject({
      message: expect.stringContaining('Enable it: `gcloud services enable aiplatform.googleapis.com`.') as string,
    });
  });

  it('keep texts of 400 answers out of the message', async () => {
    server.faults.push({ on: 'GET /sessions', answer: errorAnswer(400, 'INVALID_ARGUMENT', 'Bad value: secret.') });
    const error: Error = await open()
      .listSessions(user)
      .then(
        () => new Error('no error'),
        (caught: Error) => caught,
      );
    expect(error.message).toBe('Vertex AI rejected the request: INVALID_ARGUMENT.');
    expect(error.cause).toMatchObject({ message: 'Bad value: secret.' });
  });

  it('reject an answer that is not JSON', async () => {
    server.faults.push({ on: 'GET /sessions', times: 4, answer: { bytes: Buffer.from('<html>') } });
    await expect(passTime(runtime, open().listSessions(user))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'Vertex AI returned an answer that is not JSON.',
    });
  });

  it('keep stored data in an answer that is not JSON out of the error', async () => {
    server.faults.push({ on: 'GET /sessions', answer: { bytes: Buffer.from('secret {"sessions": []}') } });
    const error = await open()
      .listSessions(user)
      .catch((caught: unknown) => caught);
    expect(inspect(error)).toContain('returned an answer that is not JSON');
    expect(inspect(error)).not.toContain('secret');
  });

  it('report that a write may have been done if its answer is not JSON', async () => {
    const memory = openMemory();
    server.faults.push({ on: 'POST /memories', afterWork: true, answer: { bytes: Buffer.from('<html>') } });
    await expect(memory.addMemory({ ...user, memory: 'Likes tea.' })).rejects.toMatchObject({
      code: 'STORE_OUTCOME_UNKNOWN',
      message: 'Vertex AI returned an answer that is not JSON. The write may have been done.',
    });
  });

  it('do not read a list forever if the server repeats a page', async () => {
    const expected = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('the same page of a list again') };
    server.faults.push({ on: 'GET', times: 99, answer: { json: { nextPageToken: 'again' } } });
    await expect(open().listSessions(user)).rejects.toMatchObject(expected);
    const artifacts = new GcsArtifactService({ bucket: 'again', ...server.options, runtime });
    await expect(artifacts.listArtifactKeys(key)).rejects.toMatchObject(expected);
  });

  it('report that a write may have been done if its operation cannot be read', async () => {
    const memory = openMemory();
    server.faults.push({ on: 'GET /operations/', times: 4, answer: errorAnswer(503, 'UNAVAILABLE', 'Try later.') });
    await expect(passTime(runtime, memory.addMemory({ ...user, memory: 'Likes tea.' }))).rejects.toMatchObject({
      code: 'STORE_OUTCOME_UNKNOWN',
      message: 'The state of an operation of Vertex AI could not be read. The write may have been done.',
      cause: { message: 'Vertex AI failed with status 503.' },
    });
  });

  it('count a deletion as done if its operation was deleted too', async () => {
    const service = open();
    await service.createSession(key);
    server.faults.push({ on: 'GET /operations/', answer: errorAnswer(404, 'NOT_FOUND', 'No operation.') });
    await service.deleteSession(key);
    expect(await service.getSession(key)).toBeUndefined();
  });

  it('count a deletion as done if only its answer is lost', async () => {
    const service = open();
    await service.createSession(key);
    server.faults.push({ on: 'DELETE /sessions/s1', afterWork: true, answer: 'cut' });
    expect(await passTime(runtime, service.deleteSession(key))).toBe(true);
    const memory = openMemory();
    const [added] = await memory.addMemory({ ...user, memory: 'Likes tea.' });
    server.faults.push({ on: 'DELETE /memories', afterWork: true, answer: 'cut' });
    expect(await passTime(runtime, memory.deleteMemory({ ...user, ids: [added!.id, 'other'] }))).toBe(1);
  });

  it('repeat the creation of a session after a 503, and create it once', async () => {
    const service = open();
    server.faults.push({ on: 'POST /sessions', answer: errorAnswer(503, 'UNAVAILABLE', 'Try later.') });
    expect(await passTime(runtime, service.createSession(key))).toMatchObject({ id: 's1' });
    server.faults.push({ on: 'POST /sessions', afterWork: true, answer: errorAnswer(503, 'UNAVAILABLE', 'Later.') });
    server.faults.push({ on: 'GET /sessions/s2', times: 1, answer: errorAnswer(404, 'NOT_FOUND', 'Not yet.') });
    expect(await passTime(runtime, service.createSession({ ...key, sessionId: 's2' }))).toMatchObject({ id: 's2' });
    await expect(service.createSession(key)).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' });
  });

  it('wait before an append is repeated after a 503', async () => {
    const service = open();
    const session = await service.createSession(key);
    const overloaded = errorAnswer(503, 'UNAVAILABLE', 'Try later.');
    server.faults.push({ on: ':appendEvent', times: 3, answer: { ...overloaded, headers: { 'retry-after': '2' } } });
    await passTime(runtime, service.appendEvent({ session, event: createEvent({ author: 'user' }) }));
    expect(runtime.monotonic()).toBeGreaterThanOrEqual(6000);
    expect((await service.getSession(key))!.events).toHaveLength(1);
  });

  it('are repeated if another write at the same time aborted them', async () => {
    const service = open();
    const aborted = errorAnswer(409, 'ABORTED', 'The operation was aborted.');
    server.faults.push({ on: 'POST /sessions', answer: aborted });
    const session = await passTime(runtime, service.createSession(key));
    server.faults.push({ on: ':appendEvent', answer: aborted });
    await passTime(runtime, service.appendEvent({ session, event: createEvent({ author: 'user' }) }));
    expect((await service.getSession(key))!.events).toHaveLength(1);
  });

  it('read an operation until it is done, with growing waits', async () => {
    server.operations.reads = 4;
    await passTime(runtime, open().createSession(key));
    expect(server.requestsOn('GET', '/operations/')).toHaveLength(4);
    expect(runtime.monotonic()).toBeGreaterThanOrEqual(800);
  });

  it('throw STORE_OUTCOME_UNKNOWN if an operation does not finish', async () => {
    server.operations.reads = Infinity;
    const memory = new VertexAiMemoryBankService({ ...place, ...server.options, agentEngineId: '8', runtime });
    await expect(passTime(runtime, memory.addMemory({ ...user, memory: 'Likes tea.' }))).rejects.toMatchObject({
      code: 'STORE_OUTCOME_UNKNOWN',
      message: 'An operation of Vertex AI did not finish in time.',
    });
    expect(server.requestsOn('GET', '/operations/')).toHaveLength(60);
  });

  it('throw the error of an operation', async () => {
    const name = 'projects/hotel/locations/us-central1/operations/77';
    const failed = { name, done: true, error: { code: 9, message: 'The engine is being deleted.' } };
    server.faults.push({ on: 'POST /sessions', answer: { json: failed } });
    await expect(open().createSession(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'An operation of Vertex AI failed with code 9.',
      cause: { message: 'The engine is being deleted.' },
    });
  });
});
