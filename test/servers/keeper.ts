// Parent of one server. When the test process ends in any way, the channel between them closes; the keeper then
// stops the server, removes its folder and ends. It has no terminal, so that Ctrl-C does not end it early.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { killTree, signalTree } from './process-tree.ts';
import type { KeeperAnswer, KeeperRequest } from './keeper-messages.ts';

let server: ChildProcess | undefined;
let stopSignal: NodeJS.Signals = 'SIGTERM';
let folders: readonly string[] = [];

process.on('message', (request: KeeperRequest) => {
  const { command, args, cwd, user, log } = request;
  ({ stopSignal, folders } = request);
  const output = openSync(log, 'a');
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', output, output], ...user });
  closeSync(output);
  server = child;
  child.once('spawn', () => send({ started: child.pid! }));
  child.once('error', (error) => send({ ended: error.message }));
  child.once('exit', (code, signal) => {
    if (server === child) server = undefined;
    send({ ended: signal ?? `exit ${code}` });
  });
});

process.on('disconnect', () => {
  const running = server;
  const pid = running?.pid;
  if (running === undefined || pid === undefined) return removeFoldersAndExit();
  running.once('exit', removeFoldersAndExit);
  signalTree(pid, 'SIGCONT');
  running.kill(stopSignal);
  setTimeout(() => void killTree(pid), 2_000);
});

function removeFoldersAndExit(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.exit(0);
}

function send(answer: KeeperAnswer): void {
  if (process.connected) process.send!(answer, () => {});
}
