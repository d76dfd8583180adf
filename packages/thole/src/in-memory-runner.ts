import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Agent, App, ModelFactory, Plugin, Runtime } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { Runner } from '@thole/runner';
import type { Concurrency, RunnerOptions } from '@thole/runner';

/** Options of `InMemoryRunner`: an agent or an app, and options of `Runner` without the services. */
export type InMemoryRunnerOptions = (
  | { app: App; agent?: undefined; appName?: undefined; plugins?: undefined; models?: undefined }
  | {
      app?: undefined;
      agent: Agent;
      /** Default: `'InMemoryRunner'`. */
      appName?: string | undefined;
      plugins?: readonly Plugin[] | undefined;
      models?: readonly ModelFactory[] | undefined;
    }
) & {
  /** True to create a session that does not exist, with the id of the request. Default: false. */
  autoCreateSession?: boolean | undefined;
  runtime?: Runtime | undefined;
  concurrency?: Concurrency | undefined;
  /** Maximum number of sessions that are cached between runs. 0 reads the session in each run. Default: 1,000. */
  maxCachedSessions?: number | undefined;
};

type OptionOf<Options> = Options extends unknown ? keyof Options : never;

const knownOptions = optionNames<Record<OptionOf<InMemoryRunnerOptions>, unknown>>({
  app: true,
  agent: true,
  appName: true,
  plugins: true,
  models: true,
  autoCreateSession: true,
  runtime: true,
  concurrency: true,
  maxCachedSessions: true,
});

/**
 * A runner with its own in-memory sessions, memory and artifacts, for tests, first trials and short programs. All data
 * is lost when the process ends. Throws the errors of `Runner`, and `INVALID_INPUT` if a service is passed: use
 * `Runner` for other services.
 */
export class InMemoryRunner extends Runner {
  declare readonly memoryService: InMemoryMemoryService;
  declare readonly artifactService: InMemoryArtifactService;

  constructor(options: InMemoryRunnerOptions) {
    rejectUnknownOptions(options, knownOptions, 'InMemoryRunner');
    const { runtime } = options;
    super({
      ...options,
      ...(!options.app && { appName: options.appName ?? 'InMemoryRunner' }),
      sessionService: new InMemorySessionService({ runtime }),
      memoryService: new InMemoryMemoryService({ runtime }),
      artifactService: new InMemoryArtifactService({ runtime }),
    } as RunnerOptions);
  }
}
