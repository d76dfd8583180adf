import type { ServerProcess } from './server-process.ts';

/** A server that a test starts, in a temporary folder, on a free port of 127.0.0.1. It ends with the test process. */
export interface Server {
  url: string;
  port: number;
  folder: string;
  /** The server's output so far. */
  readonly log: string;
  /** Id of the main process. Undefined while the server does not run. */
  readonly pid: number | undefined;
  /** Shuts the server down normally. Port and folder stay, for `restart()`. */
  stop(): Promise<void>;
  /** Sends SIGKILL to all processes of the server. Port and folder stay, for `restart()`. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: the server does not answer, but its connections stay open. */
  pause(): Promise<void>;
  /** Sends SIGCONT. */
  resume(): Promise<void>;
  /** Stops the server if it runs, and starts it with the same port and folder. */
  restart(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/** Returns a server with the address and the methods of this process. */
export function serverOf(running: ServerProcess, place: { url: string; port: number; folder: string }): Server {
  return {
    ...place,
    get log() {
      return running.log;
    },
    get pid() {
      return running.pid;
    },
    stop: () => running.stop(),
    kill: () => running.kill(),
    pause: () => running.pause(),
    resume: () => running.resume(),
    restart: () => running.restart(),
    remove: () => running.remove(),
  };
}
