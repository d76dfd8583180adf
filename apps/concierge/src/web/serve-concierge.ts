import { systemRuntime, TholeError } from '@thole/core';
import type { EnvVars, Runtime } from '@thole/core';
import { devUi } from '@thole/dev-ui';
import { createHandler, lineLogger, SpanMemory } from '@thole/server';
import type { Handler } from '@thole/server';
import { serve } from '@thole/server/node';
import type { RunningServer } from '@thole/server/node';
import { createAgent } from '../agent.ts';
import { chooseModel } from '../model.ts';
import { readOptions, usageOf } from '../options.ts';
import { APP_NAME, openServices } from '../services.ts';
import { suggestionsFor } from '../suggestions.ts';
import { errorLine } from '../terminal/error-line.ts';

export interface Surroundings {
  argv: readonly string[];
  /** Determines the model and the database. */
  env: EnvVars;
  print: (text: string) => void;
  printError: (text: string) => void;
  /** Resolves when the program must end. */
  ended: Promise<unknown>;
}

/** Makes answers of the demo model visible as a stream. */
const WORD_DELAY_MS = 20;

/** The whole program: serves the concierge and its page until `ended`, and returns the exit code. */
export async function serveConcierge({ argv, env, print, printError, ended }: Surroundings): Promise<number> {
  try {
    const options = readOptions('start', argv);
    if (options.help) {
      print(`${usageOf('start')}\n`);
      return 0;
    }
    const { verbose } = options;
    const logger = lineLogger({ level: 'warning', verbose, write: (entry) => printError(`${entry}\n`) });
    const runtime = systemRuntime({ logger });
    const model = chooseModel({ runtime, env, wordDelayMs: WORD_DELAY_MS });
    const { services, close } = await openServices({ memory: options.memory, model, runtime, env });
    try {
      const { sessionService, memoryService, plugins, tools, timeZone } = services;
      const traces = new SpanMemory({ runtime });
      const rootAgent = createAgent({ llm: model.llm, memoryTools: tools, timeZone });
      const handler = createHandler({
        ...{ sessionService, memoryService, runtime, traces, ui: devUi(), onDisconnect: 'continue', development: true },
        apps: [{ name: APP_NAME, rootAgent, plugins, suggestions: suggestionsFor({ memory: options.memory }) }],
      });
      const server = await listen(handler, options.port, runtime);
      services.begin();
      print(`Hotel concierge\n${model.notice}\n\nOpen ${server.url}/dev-ui/ in a browser. Ctrl-C ends it.\n`);
      await ended;
      await server.close({ timeoutMs: 5_000 });
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    printError(`${errorLine(error)}\n${usageOf('start')}\n`);
    return 1;
  }
}

const PORT = 8000;

/** Listens on the given port, otherwise on the default port, or a free one if that is taken. */
async function listen(handler: Handler, port: number | undefined, runtime: Runtime): Promise<RunningServer> {
  if (port !== undefined) return serve(handler, { port, runtime });
  try {
    return await serve(handler, { port: PORT, runtime });
  } catch (error) {
    if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
    return serve(handler, { port: 0, runtime });
  }
}
