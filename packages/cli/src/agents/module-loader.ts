// Bun has no `registerHooks`, and rejects a module that imports it by name.
import * as nodeModule from 'node:module';
import type { ResolveFnOutput, ResolveHookContext } from 'node:module';
import { sep } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { TholeError } from '@thole/core';

type Next = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

const UNSETTLED =
  'The module, or a module that it imports, awaits a promise that never settles, and nothing is left that could settle it. ' +
  'Check the await expressions outside of functions.';

const NO_EXIT = 'Remove the call, or throw an error instead.';

const NO_HOOKS =
  'Agents are loaded with Node 22.18 or newer, but this is another runtime, such as Bun. Install Node, and run thole without --bun.';

const MODULE = /\.(?:[cm]?[jt]s|json)$/;

/**
 * Imports TypeScript and JavaScript below a folder without a build. After `invalidate`, all modules of the folder are
 * imported again, so a change reaches all modules that import the changed one. Modules below `node_modules` and
 * CommonJS modules are imported once, because Node caches them.
 */
export class ModuleLoader {
  readonly #root: string;
  readonly #importModule: (url: string) => Promise<unknown>;
  readonly #hooks: { deregister(): void };
  #generation = 0;

  constructor(p: { root: string; importModule: (url: string) => Promise<unknown> }) {
    this.#root = pathToFileURL(p.root.endsWith(sep) ? p.root : p.root + sep).href;
    this.#importModule = p.importModule;
    if (!nodeModule.registerHooks) throw new TholeError('INVALID_INPUT', NO_HOOKS);
    this.#hooks = nodeModule.registerHooks({
      resolve: (specifier, context, next) => this.#resolve(specifier, context, next),
      load: (url, context, next) => {
        if (!this.#isBelowRoot(url) || !/\.ts\?/.test(url)) return next(url, context);
        // Agents are loaded as ES modules, regardless of `type` in package.json.
        return next(url, { ...context, format: 'module-typescript' });
      },
    });
  }

  /** Starts a new generation: later imports load the modules again. */
  invalidate(): void {
    this.#generation++;
  }

  /**
   * Returns the exports of a module below the folder. Rejects if the module waits for a promise that can never settle. If the module
   * ends the process, `onExit` is called with an error whose stack names the place, and the exit code is not 0.
   */
  load(file: string, onExit: (error: TholeError) => void): Promise<unknown> {
    const importing = this.#importModule(`${pathToFileURL(file).href}?v=${this.#generation}`);
    // Otherwise Node would end the process with a warning and the exit code 13.
    const { promise, reject, resolve } = Promise.withResolvers<unknown>();
    const rejectUnsettled = (): void => reject(new TholeError('INVALID_INPUT', UNSETTLED));
    const reportExit = (code: number): void => {
      const error = new TholeError('INVALID_INPUT', `The module called process.exit(${code}). ${NO_EXIT}`);
      // An uncaught error also ends the process. Node prints it.
      if (!/^ +at process\.exit /m.test(error.stack ?? '')) return;
      onExit(error);
      process.exitCode = code || 1;
    };
    process.once('beforeExit', rejectUnsettled);
    process.once('exit', reportExit);
    importing.then(resolve, reject);
    return promise.finally(() => {
      process.off('beforeExit', rejectUnsettled);
      process.off('exit', reportExit);
    });
  }

  close(): void {
    this.#hooks.deregister();
  }

  #resolve(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
    if (!this.#isBelowRoot(context.parentURL ?? '') && !this.#isBelowRoot(specifier)) return next(specifier, context);
    const resolved = resolveWithExtensions(specifier, context, next);
    const [address] = resolved.url.split('?', 1);
    const isVersioned = context.conditions.includes('import') && this.#isBelowRoot(address!) && MODULE.test(address!);
    // A dynamic import gets the generation of the module that imports it, even after newer ones were loaded.
    const version = /\?v=\d+$/.exec(context.parentURL ?? '')?.[0] ?? `?v=${this.#generation}`;
    return isVersioned ? { ...resolved, url: address! + version } : resolved;
  }

  #isBelowRoot(url: string): boolean {
    return url.startsWith(this.#root) && !url.includes('/node_modules/');
  }
}

// TypeScript allows `./tools.js` and `./tools` for `./tools.ts`.
function resolveWithExtensions(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    const alternatives = /^\.{1,2}\//.test(specifier)
      ? specifier.endsWith('js')
        ? [specifier.replace(/js$/, 'ts')]
        : [`${specifier}.ts`, `${specifier}/index.ts`]
      : [];
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ERR_UNSUPPORTED_DIR_IMPORT') throw error;
    for (const alternative of alternatives) {
      try {
        return next(alternative, context);
      } catch {
        // The first error is thrown below, because it names the specifier in the source.
      }
    }
    throw error;
  }
}
