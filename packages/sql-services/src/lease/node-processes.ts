import { readFileSync, readlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { LeaseProcesses } from '@thole/core/kit';

/** Returns the names of processes for leases, from Node's view of the operating system. */
export function nodeProcesses(): LeaseProcesses {
  return new LeaseProcesses({
    readText: (path) => readFileSync(path, 'utf8'),
    readLink: (path) => readlinkSync(path),
    kill,
  });
}
