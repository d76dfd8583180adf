import { registerHooks } from 'node:module';
import type { ResolveFnOutput, ResolveHookContext } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

type Next = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

const MODULE = /\.(?:[cm]?[jt]s|json)$/;

/**
 * Imports TypeScript and JavaScript below a folder without a build. Each generation imports all modules of the folder anew (but for
 * those below `node_modules` and for CommonJS, which Node keeps), so that a change reaches those who import what changed.
 */
export class ModuleLoader {
  readonly #root: string;
  readonly #importModule: (url: string) => Promise<unknown>;
  readonly #hooks: { deregister(): void };
  #generation = 0;

  constructor(p: { root: string; importModule: (url: string) => Promise<unknown> }) {
    this.#root = pathToFileURL(p.root.endsWith(sep) ? p.root : p.root + sep).href;
    this.#importModule = p.importModule;
    this.#hooks = registerHooks({
      resolve: (specifier, context, next) => this.#resolve(specifier, context, next),
      load: (url, context, next) => {
        if (!this.#owns(url) || !/\.ts\?/.test(url)) return next(url, context);
        // Whatever the package.json says or does not: agents are modules.
        return next(url, { ...context, format: 'module-typescript' });
      },
    });
  }

  /** Modules that are imported from now on are new ones. */
  renew(): void {
    this.#generation++;
  }

  /** The exports of a module at a path below the folder. */
  load(file: string): Promise<unknown> {
    return this.#importModule(`${pathToFileURL(file).href}?v=${this.#generation}`);
  }

  close(): void {
    this.#hooks.deregister();
  }

  #resolve(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
    if (!this.#owns(context.parentURL ?? '') && !this.#owns(specifier)) return next(specifier, context);
    const resolved = resolveAnyway(specifier, context, next);
    const [address] = resolved.url.split('?', 1);
    const isNew = context.conditions.includes('import') && this.#owns(address!) && MODULE.test(address!);
    // The generation of who imports, and not the newest: a module that is late belongs to its own.
    const version = /\?v=\d+$/.exec(context.parentURL ?? '')?.[0] ?? `?v=${this.#generation}`;
    return isNew ? { ...resolved, url: address! + version } : resolved;
  }

  #owns(url: string): boolean {
    return url.startsWith(this.#root) && !url.includes('/node_modules/');
  }
}

// `./tools.js` and `./tools` are what TypeScript lets people write for `./tools.ts`.
function resolveAnyway(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    const others = /^\.{1,2}\//.test(specifier)
      ? specifier.endsWith('js')
        ? [specifier.replace(/js$/, 'ts')]
        : [`${specifier}.ts`, `${specifier}/index.ts`]
      : [];
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ERR_UNSUPPORTED_DIR_IMPORT') throw error;
    for (const other of others) {
      try {
        return next(other, context);
      } catch {
        // What was written is what the error should name.
      }
    }
    throw error;
  }
}
