/** A request to start a server. A keeper has at most one server at a time. */
export interface KeeperRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  user?: { uid: number; gid: number } | undefined;
  /** Signal that shuts the server down normally. */
  stopSignal: 'SIGINT' | 'SIGTERM';
  /** Path of the file for the server's output. */
  log: string;
  /** Folders that are removed when the test process has ended. */
  folders: readonly string[];
}

/** `started` is the server's process id, `ended` the reason for its end. */
export type KeeperAnswer = { started: number } | { ended: string };
