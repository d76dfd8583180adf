import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ClientScope, HandlerOptions } from './handler-options.ts';
import { assertAllowedHosts } from './http/assert-allowed-hosts.ts';
import { assertRecoveryOptions } from './recovery.ts';

const knownOptions = optionNames<HandlerOptions>({
  apps: true,
  sessionService: true,
  memoryService: true,
  artifactService: true,
  runtime: true,
  logger: true,
  development: true,
  authorize: true,
  authorizeScope: true,
  rateLimit: true,
  allowedHosts: true,
  cors: true,
  limits: true,
  onDisconnect: true,
  recover: true,
  ui: true,
  basePath: true,
  deps: true,
  toolErrors: true,
  traces: true,
  clientMayWrite: true,
});
const clientScopes: readonly string[] = ['session', 'user', 'app'] satisfies ClientScope[];

/** Throws `INVALID_INPUT` for unknown options, and for invalid ones that concern neither the apps nor the limits. */
export function assertHandlerOptions(options: HandlerOptions): void {
  rejectUnknownOptions(options, knownOptions, 'createHandler');
  const { onDisconnect = 'abort', clientMayWrite = ['session', 'user'] } = options;
  if (!['abort', 'continue'].includes(onDisconnect))
    throw new TholeError('INVALID_INPUT', `onDisconnect must be 'abort' or 'continue'.`);
  if (!Array.isArray(clientMayWrite) || clientMayWrite.some((each) => !clientScopes.includes(each as string)))
    throw new TholeError('INVALID_INPUT', `clientMayWrite must be a list of 'session', 'user' and 'app'.`);
  for (const name of ['authorize', 'authorizeScope', 'rateLimit', 'ui', 'deps'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw invalidInput(name, 'a function', options[name]);
  }
  assertAllowedHosts(options.allowedHosts);
  assertMethods('logger', options.logger, ['debug', 'info', 'warn', 'error']);
  assertMethods('traces', options.traces, ['start', 'ofEvent', 'ofSession']);
  if (options.development !== undefined && typeof options.development !== 'boolean')
    throw invalidInput('development', 'true or false', options.development);
  const { recover } = options;
  if (recover !== undefined && typeof recover !== 'boolean' && !isPlainObject(recover))
    throw invalidInput('recover', 'true, false or an object', recover);
  if (typeof recover === 'object') assertRecoveryOptions(recover, 'recover');
  if (!['message', 'redacted', undefined].includes(options.toolErrors))
    throw new TholeError('INVALID_INPUT', `toolErrors must be 'message' or 'redacted'.`);
}

/** Throws `INVALID_INPUT` unless an option is undefined or has these methods. */
function assertMethods(name: string, option: object | undefined, methods: readonly string[]): void {
  if (option === undefined) return;
  const missing = methods.find((method) => typeof (option as Record<string, unknown> | null)?.[method] !== 'function');
  if (missing !== undefined) throw new TholeError('INVALID_INPUT', `${name} must have the method ${missing}().`);
}
