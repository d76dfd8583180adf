import { TholeError } from '@thole/core';
import {
  assertCount,
  assertDuration,
  assertName,
  invalidInput,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { Channel } from '../channel/channel.ts';
import { assertChannelName } from '../identity/identity-book.ts';
import type { DispatcherOptions } from './dispatcher-options.ts';

const names = optionNames<DispatcherOptions>({
  appName: true,
  channels: true,
  identities: true,
  deliveries: true,
  sessions: true,
  createParts: true,
  unknownSenders: true,
  onRequest: true,
  commands: true,
  coalesceMs: true,
  maxTextLength: true,
  maxFileBytes: true,
  maxAttempts: true,
  retryMs: true,
  sendTimeoutMs: true,
  rememberKeysMs: true,
  texts: true,
  onError: true,
  runtime: true,
});

/** Throws `INVALID_INPUT` or `DUPLICATE_NAME` for wrong options of a dispatcher. */
export function assertDispatcherOptions(options: DispatcherOptions): void {
  rejectUnknownOptions(options, names, 'Dispatcher');
  assertName('appName', options.appName);
  assertChannels(options.channels);
  assertMethods('identities', options.identities, ['find', 'get', 'create', 'link']);
  assertMethods('deliveries', options.deliveries, ['receive', 'finish', 'put', 'settle']);
  assertMethods('sessions', options.sessions, ['getSession', 'listSessions']);
  if (typeof options.createParts !== 'function') throw invalidInput('createParts', 'a function', options.createParts);
  const { unknownSenders = 'refuse' } = options;
  if (!['refuse', 'approve', 'welcome'].includes(unknownSenders))
    throw new TholeError('INVALID_INPUT', `unknownSenders must be 'refuse', 'approve' or 'welcome'.`);
  for (const name of ['maxTextLength', 'maxFileBytes', 'maxAttempts'] as const)
    if (options[name] !== undefined) assertCount(name, options[name], 1);
  for (const name of ['retryMs', 'sendTimeoutMs', 'rememberKeysMs'] as const)
    if (options[name] !== undefined) assertDuration(name, options[name]);
  const { coalesceMs = 0 } = options;
  if (!(typeof coalesceMs === 'number' && coalesceMs >= 0))
    throw invalidInput('coalesceMs', 'a number ≥ 0', coalesceMs);
}

/** Throws `INVALID_INPUT` for a value that is not a channel, and `DUPLICATE_NAME` for two channels with one name. */
export function assertChannels(channels: readonly Channel[]): void {
  if (!Array.isArray(channels)) throw invalidInput('channels', 'an array', channels);
  const taken = new Set<string>();
  for (const [i, channel] of (channels as readonly Channel[]).entries()) {
    assertMethods(`channels[${i}]`, channel, ['start', 'stop', 'send']);
    assertChannelName(`channels[${i}].name`, channel.name);
    if (taken.has(channel.name))
      throw new TholeError('DUPLICATE_NAME', `Two channels have the name "${channel.name}". Rename one of them.`);
    taken.add(channel.name);
  }
}

function assertMethods(argument: string, value: unknown, methods: readonly string[]): void {
  if (typeof value !== 'object' || value === null) throw invalidInput(argument, 'an object', value);
  for (const method of methods)
    if (typeof (value as { [name: string]: unknown })[method] !== 'function')
      throw new TholeError('INVALID_INPUT', `${argument} must have the method ${method}().`);
}
