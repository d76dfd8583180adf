import { systemRuntime, TholeError } from '@thole/core';
import { assertDuration, errorFields, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Logger, Runtime } from '@thole/core';
import type { RecoverOptions, Runner } from '@thole/runner';
import { safeLogger } from './logging/safe-logger.ts';

const DEFAULT_INTERVAL_MS = 60_000;

/** Options of `startRecovery`. */
export interface RecoveryOptions {
  /** Mean time between two recoveries in milliseconds. Each pause is up to half longer or shorter. Default: 60,000. */
  everyMs?: number | undefined;
  /** Returns the `deps` and the `runConfig` of a resumed run, which are not stored. Default: none. */
  contextFor?: RecoverOptions['contextFor'] | undefined;
}

const names = optionNames<RecoveryOptions>({ everyMs: true, contextFor: true });

/** A running recovery. */
export interface Recovery {
  /** Stops the recovery. Runs that have already been resumed continue until they end or their runner is closed. */
  stop(): void;
}

/**
 * Calls `recover` of all runners now and then about every minute. `recover` resumes invocations of dead processes, due timers and
 * expired interrupts. Logs each result with its ids. Skips runners whose session service cannot list waiting sessions. Throws
 * `INVALID_INPUT` for wrong options.
 */
export function startRecovery(
  p: RecoveryOptions & { runners: () => readonly Runner[]; runtime?: Runtime | undefined },
): Recovery {
  assertRecoveryOptions(p, 'startRecovery', ['runners', 'runtime']);
  const { contextFor, everyMs = DEFAULT_INTERVAL_MS, runners, runtime = systemRuntime() } = p;
  if (typeof runners !== 'function') throw invalidInput('runners of startRecovery', 'a function', runners);
  const controller = new AbortController();
  const options: RecoverOptions = { contextFor, signal: controller.signal };
  const logger = safeLogger(runtime.logger);
  void repeat(async () => {
    try {
      await Promise.all(runners().map((runner) => recoverOnce(runner, logger, options)));
    } catch (error) {
      logger.warn('Recovery failed.', { ...errorFields(error) });
    }
    try {
      // The random pause keeps the processes of a deployment from reading the same sessions at the same time.
      await runtime.sleep(everyMs * (0.5 + runtime.random()), controller.signal);
      return true;
    } catch (error) {
      // Cloudflare Workers allow no timers before the first request.
      if (!controller.signal.aborted) logger.warn('Recovery has stopped.', { ...errorFields(error) });
      return false;
    }
  });
  return { stop: () => controller.abort('stopped') };
}

/** Throws `INVALID_INPUT` for options that are unknown or of the wrong type. `moreNames` are further option names. */
export function assertRecoveryOptions(
  options: RecoveryOptions,
  owner: string,
  moreNames: readonly string[] = [],
): void {
  rejectUnknownOptions(options, [...names, ...moreNames], owner);
  const { contextFor, everyMs } = options;
  if (everyMs !== undefined) assertDuration('everyMs', everyMs);
  if (contextFor !== undefined && typeof contextFor !== 'function')
    throw invalidInput('contextFor', 'a function', contextFor);
}

async function repeat(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

async function recoverOnce(runner: Runner, logger: Logger, options: RecoverOptions): Promise<void> {
  try {
    for await (const result of runner.recover(options)) {
      const { error, invocationId, outcome, reason, ref } = result;
      const fields = { ...ref, invocationId, outcome };
      if (outcome === 'failed') logger.warn('Recovery failed.', { ...fields, ...errorFields(error) });
      else if (outcome === 'skipped') logger.debug('Skipped an invocation.', { ...fields, reason });
      else logger.info('Recovered an invocation.', fields);
    }
  } catch (error) {
    if (options.signal?.aborted) return;
    const isImpossible = TholeError.is(error, 'LEASING_NOT_SUPPORTED');
    logger[isImpossible ? 'debug' : 'warn']('Recovery failed.', { appName: runner.appName, ...errorFields(error) });
  }
}
