/** Thrown by `requestInput`, `requestCredential` and waits. Ends the call or agent until the answer arrives. */
export class RunPaused extends Error {
  readonly isRunPaused: true = true;

  constructor(message: string) {
    super(`${message} This error pauses the run. Do not catch it.`);
    this.name = 'RunPaused';
  }
}

/** True for the error that pauses a run, also from another copy of this package. */
export function isRunPaused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { isRunPaused?: unknown }).isRunPaused === true;
}
