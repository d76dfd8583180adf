/** Starts a server; the keeper has at most one at a time. */
export interface KeeperRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  user?: { uid: number; gid: number } | undefined;
  /** Asks it to end in good order. */
  stopSignal: 'SIGINT' | 'SIGTERM';
  /** The file that takes what the server says. */
  log: string;
  /** Removed when the test process has ended. */
  folders: readonly string[];
}

export type KeeperAnswer = { started: number } | { ended: string };
