import { aptNames } from './server-kind.ts';
import type { ProgramKind } from './server-kind.ts';

/** A server, or a browser, that is neither installed nor to be installed from here. */
export class ServerMissing extends Error {
  readonly kind: ProgramKind;

  constructor(kind: ProgramKind, why: string) {
    super(`No ${kind} on this machine, and ${why}: install ${aptNames(kind)} (or put its programs on PATH).`);
    this.name = 'ServerMissing';
    this.kind = kind;
  }
}
