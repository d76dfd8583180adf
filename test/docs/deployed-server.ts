import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ProtocolServer } from '@thole/testing/http';
import { chatAnswers } from '../../packages/provider-openai/test/chat-server.ts';
import { freePort } from '../servers/free-port.ts';

/** A running server of docs/deploy. */
export interface DeployedServer {
  url: string;
  port: number;
  request(path: string, body?: object): Promise<Response>;
  /** Sends SIGTERM. Resolves to the exit code. */
  stop(): Promise<number | null>;
  kill(): void;
}

const TOKEN = 'a-token-for-tests';
const LIMIT_MS = 30_000;

/** Starts a model server that answers every question with this text. */
export function startModel(text: string): Promise<ProtocolServer> {
  return ProtocolServer.start((request) => chatAnswers({ name: 'text', pieces: [text], ending: 'stop' })(request));
}

/** Starts a command that serves docs/deploy/server.ts, and waits until it listens. */
export async function startDeployed(p: {
  command: readonly string[];
  cwd: string;
  model: ProtocolServer;
  env: NodeJS.ProcessEnv;
}): Promise<DeployedServer> {
  const port = await freePort();
  const [program, ...args] = p.command;
  const keys = { THOLE_TOKEN: TOKEN, OPENAI_API_KEY: 'local', OPENAI_BASE_URL: `${p.model.url}/v1` };
  const env = { ...process.env, NODE_ENV: undefined, ...keys, PORT: `${port}`, ...p.env };
  const child = spawn(program!, args, { cwd: p.cwd, env });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  let output = '';
  const isListening = new Promise<void>((resolve) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('Listening on')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  const limit = AbortSignal.timeout(LIMIT_MS);
  const failed = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new Error(`The server does not listen: ${output}`));
    limit.addEventListener('abort', fail);
    void exit.then(fail);
  });
  await Promise.race([isListening, failed]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  failed.catch(() => {});
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    request: (path, body) =>
      fetch(url + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      }),
    stop() {
      child.kill('SIGTERM');
      return exit;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
