import { Writable } from 'node:stream';
import type { Host } from '../host.ts';

/**
 * Reserves the output for a protocol. Until `release` is called, other writes to it, such as `console.log` of an agent, go to the
 * error stream.
 */
export function reserveOutput(host: Pick<Host, 'output' | 'errors'>): { output: Writable; release: () => void } {
  const { errors } = host;
  const target = host.output;
  const ownWrite = Object.getOwnPropertyDescriptor(target, 'write');
  const write = target.write.bind(target);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string, encoding, done) => void write(chunk, encoding, done),
  });
  target.write = errors.write.bind(errors) as Writable['write'];
  return {
    output,
    release() {
      if (ownWrite) Object.defineProperty(target, 'write', ownWrite);
      else delete (target as { write?: unknown }).write;
    },
  };
}
