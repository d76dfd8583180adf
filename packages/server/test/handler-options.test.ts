import type { Logger } from '@thole/core';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { HandlerOptions, SpanMemory } from '../src/index.ts';
import { serve } from '../src/node.ts';
import type { ServeOptions } from '../src/node.ts';
import { ask } from './ask.ts';
import { demo, message } from './demo.ts';

const wrong = <T>(value: unknown): T => value as T;
const HOSTS = 'allowedHosts must contain host names without scheme and port, such as "app.example.com" or "[::1]", got';
const BASE_PATH = 'basePath must start with / and have plain path segments, such as /api.';
const ORIGINS = `cors.origins must contain '*' or origins as browsers send them, such as "https://app.example.com", got`;

describe('options of createHandler', () => {
  it.each<[Partial<HandlerOptions>, string]>([
    [{ allowedHosts: wrong('localhost') }, 'allowedHosts must be a list of host names, got a string.'],
    [{ allowedHosts: ['localhost:8000'] }, `${HOSTS} "localhost:8000".`],
    [{ allowedHosts: ['https://a.example'] }, `${HOSTS} "https://a.example".`],
    [{ cors: wrong(true) }, 'Options of cors must be an object, got a boolean.'],
    [{ cors: wrong({ origin: ['https://a.example'] }) }, 'cors has no option origin. Did you mean origins?'],
    [{ cors: wrong({}) }, 'cors.origins must be a list of origins, got undefined.'],
    [{ cors: { origins: ['https://a.example/'] } }, `${ORIGINS} "https://a.example/".`],
    [{ cors: { origins: ['https://A.example'] } }, `${ORIGINS} "https://A.example".`],
    [{ cors: { origins: ['a.example'] } }, `${ORIGINS} "a.example".`],
    [{ basePath: 'api' }, BASE_PATH],
    [{ basePath: '/a/../b' }, BASE_PATH],
    [{ logger: wrong({ log() {} }) }, 'logger must have the method debug().'],
    [{ traces: wrong<SpanMemory>(true) }, 'traces must have the method start().'],
  ])('rejects %j (contract 42)', async (options, text) => {
    await expect(demo(options)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: text });
  });

  it('accepts hosts with brackets, and all kinds of origins', async () => {
    const origins = [
      '*',
      'null',
      'https://a.example',
      'http://localhost:5173',
      'http://[::1]:80',
      'capacitor://localhost',
    ];
    const { handler } = await demo({ allowedHosts: ['[::1]', 'localhost', 'My.example'], cors: { origins } });
    expect((await ask(handler, 'GET', '/list-apps')).status).toBe(200);
  });
});

describe('a logger that throws', () => {
  it('changes no response', async () => {
    const fail = (): never => {
      throw new Error('The disk is full.');
    };
    const logger: Logger = { debug: fail, info: fail, warn: fail, error: fail };
    const { handler, sessions } = await demo({ logger, answers: [says('Hello.')] });
    expect((await ask(handler, 'POST', '/run', message({ unknownField: 1 }))).status).toBe(200);
    sessions.getSession = () => Promise.reject(new Error('No database.'));
    expect((await ask(handler, 'GET', '/apps/demo/users/ann/sessions/s')).body).toEqual({
      detail: 'The server failed.',
      code: 'INTERNAL',
    });
  });
});

describe('options of serve', () => {
  it.each<[ServeOptions, string]>([
    [{ port: 65_536 }, 'port must be an integer from 0 to 65535, got 65536.'],
    [{ port: NaN }, 'port must be an integer from 0 to 65535, got NaN.'],
    [{ port: wrong('80') }, 'port must be an integer from 0 to 65535, got a string.'],
    [{ port: 0, allowedHosts: wrong('a.example') }, 'allowedHosts must be a list of host names, got a string.'],
    [{ port: 0, allowedHosts: ['a.example:80'] }, `${HOSTS} "a.example:80".`],
  ])('rejects %j (contract 42)', async (options, text) => {
    const { handler } = await demo();
    await expect(serve(handler, options)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: text });
  });
});
