import type { Logger } from '../runtime/runtime.ts';

/** Logs what a provider leaves out of requests or changes in them. A warning about a setting is logged once for each model. */
export class ModelWarnings {
  readonly #provider: string;
  readonly #logger: Logger;
  readonly #logged = new Set<string>();

  constructor(provider: string, logger: Logger) {
    this.#provider = provider;
    this.#logger = logger;
  }

  /** Logs the settings for which the warning was not logged before. `logger` is that of the call, if it has one. */
  warn(message: string, p: { model: string; settings: readonly string[]; logger: Logger | undefined }): void {
    const { model, logger = this.#logger } = p;
    const keyOf = (setting: string): string => JSON.stringify([model, message, setting]);
    const settings = [...new Set(p.settings)].filter((each) => !this.#logged.has(keyOf(each)));
    if (settings.length === 0) return;
    for (const each of settings) this.#logged.add(keyOf(each));
    logger.warn(message, { model, provider: this.#provider, settings });
  }
}
