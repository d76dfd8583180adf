import { aptNames } from './server-kind.ts';
import type { ProgramKind } from './server-kind.ts';

/** The error for a server or browser that is not installed and that tests cannot install. */
export class ServerMissing extends Error {
  readonly kind: ProgramKind;

  constructor(kind: ProgramKind, why: string) {
    super(`${kind} is not installed, and ${why}. Install ${aptNames(kind)}, or put its programs on PATH.`);
    this.name = 'ServerMissing';
    this.kind = kind;
  }
}
