import type { ServerProcess } from './server-process.ts';

/** A server of a test's own, in a temporary folder, on a free port of 127.0.0.1. All of it ends with the test process. */
export interface Server {
  url: string;
  port: number;
  folder: string;
  /** Everything it has said so far. */
  readonly log: string;
  /** Of its main process while it runs. */
  readonly pid: number | undefined;
  /** Ends it in good order; port and folder stay, for `restart()`. */
  stop(): Promise<void>;
  /** SIGKILL for it and all its processes; port and folder stay, for `restart()`. */
  kill(): Promise<void>;
  /** SIGSTOP: it answers nothing more, but its connections stay open. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): Promise<void>;
  /** Stops it if it runs, and starts it on the same port and folder. */
  restart(): Promise<void>;
  /** Ends it for good and removes its folder. */
  remove(): Promise<void>;
}

/** A process seen as a server with an address. */
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
