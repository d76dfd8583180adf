import type { Runtime } from '@thole/core';
import { usageError } from '../options/usage-error.ts';
import type { ServiceUri } from './service-uri.ts';
import { readServiceUri } from './service-uri.ts';

/** What services are opened with. */
export interface OpenContext {
  cwd: string;
  runtime: Runtime;
  /** What the user typed, for messages. */
  option: string;
}

/** A service with what ends it, and a check that its store answers. */
export interface OpenService<S> {
  service: S;
  /** `STORE_UNAVAILABLE` where it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** For each scheme, what opens a service: another service is one more line in a table. */
export type ServiceTable<S> = {
  readonly [scheme: string]: (uri: ServiceUri, context: OpenContext) => OpenService<S> | Promise<OpenService<S>>;
};

/** The schemes of a table, for help and errors. */
export function schemesOf(table: ServiceTable<unknown>): string {
  return Object.keys(table)
    .map((scheme) => `${scheme}://`)
    .join(', ');
}

/** Opens the service that a URI names, once its store answers; a usage error where the table has no such scheme. */
export async function openService<S>(
  table: ServiceTable<S>,
  text: string,
  context: OpenContext,
): Promise<OpenService<S>> {
  const uri = readServiceUri(context.option, text);
  const open = Object.hasOwn(table, uri.scheme) ? table[uri.scheme] : undefined;
  if (!open) throw usageError(`${context.option} cannot be ${uri.scheme}://; it takes ${schemesOf(table)}.`);
  const opened = await open(uri, context);
  try {
    await opened.ping();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A service that lives in this process and needs no end. */
export function inProcess<S>(service: S): OpenService<S> {
  return { service, ping: async () => {}, close: async () => {} };
}
