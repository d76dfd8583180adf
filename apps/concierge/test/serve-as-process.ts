import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { textOf } from '@thole/core';
import type { Event } from '@thole/core';
import { onTestFinished } from 'vitest';
import { withoutSettings } from './environment.ts';
import { packageFlags } from '../../../test/servers/package-flags.ts';

interface MessageOptions {
  session: string;
  guest?: string | undefined;
  /** Text of a file `passport.txt` to send with the message. */
  file?: string | undefined;
}

/** The server of the concierge in a separate process. */
export interface ServedProcess {
  url: string;
  /** Sends a message in a session, which is created if needed, and returns the answer. */
  say(text: string, p: MessageOptions): Promise<string>;
  /** Ends the process and returns its exit code, null if a signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const program = fileURLToPath(new URL('../src/serve.ts', import.meta.url));

/** Starts the server with this environment on a free port and waits for its address. It is stopped after the test. */
export async function serveAsProcess(p: {
  env: { readonly [name: string]: string };
  args?: readonly string[] | undefined;
}): Promise<ServedProcess> {
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, program, '--port', '0', ...(p.args ?? [])], {
    stdio: 'pipe',
    env: { ...withoutSettings, ...p.env },
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let printed = '';
    const read = (text: string): void => {
      printed += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${printed}`)));
  });
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return {
    url,
    async say(text, { session: sessionId, guest: userId = 'user', file }) {
      await (await post(`/apps/hotel/users/${userId}/sessions`, { sessionId })).text();
      const attached = file !== undefined && {
        inlineData: { mimeType: 'text/plain', displayName: 'passport.txt', data: btoa(file) },
      };
      const newMessage = { role: 'user', parts: [{ text }, ...(attached ? [attached] : [])] };
      const answer = await post('/run', { appName: 'hotel', userId, sessionId, newMessage });
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      return textOf(((await answer.json()) as Event[]).at(-1)?.content);
    },
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
