import { packageOf } from './server-kind.ts';
import type { ServerKind } from './server-kind.ts';

/** A server that is neither installed nor to be installed from here. */
export class ServerMissing extends Error {
  readonly kind: ServerKind;

  constructor(kind: ServerKind, why: string) {
    super(`No ${kind} on this machine, and ${why}: install ${packageOf[kind].apt} (or put its programs on PATH).`);
    this.name = 'ServerMissing';
    this.kind = kind;
  }
}
