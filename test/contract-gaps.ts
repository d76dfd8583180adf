/** Contracts that no case shows yet, each with the reason. One that gets a case must leave the list. */
export const contractGaps: Readonly<Record<number, string>> = {};

/** Contracts that cases show in part. */
export const contractParts: Readonly<Record<number, string>> = {
  14: '`app:` and `user:` state outlives sessions; no service here lets sessions expire by themselves.',
  27: 'Rewind records in history are read; `runner.rewindAsync` does not exist yet.',
  28: 'A long-running call is answered in the same process; confirmations, credentials and resuming after a crash are not there yet.',
};
