import { codedLine } from '@thole/cli/terminal';
import { systemRuntime, TholeError } from '@thole/core';
import type { EnvVars } from '@thole/core';
import { devUi } from '@thole/dev-ui';
import { createHandler, lineLogger, SpanMemory } from '@thole/server';
import { serve } from '@thole/server/node';
import { createAgent } from '../agent.ts';
import { chooseModel } from '../model.ts';
import { readServerOptions, SERVER_USAGE } from '../options.ts';
import { APP_NAME, openServices } from '../services.ts';
import { suggestionsFor } from '../suggestions.ts';

/** Arguments of `serveConcierge`. */
export interface ServerProcess {
  argv: readonly string[];
  /** Determines the model and the database. */
  env: EnvVars;
  print: (text: string) => void;
  printError: (text: string) => void;
  /** Resolves when the program must end. */
  ended: Promise<unknown>;
}

/** Pause between the words of the demo model in milliseconds, so that streaming is visible. */
const WORD_DELAY_MS = 20;
const DEFAULT_PORT = 8000;

/** Serves the concierge and its page until `ended` resolves, and returns the exit code. */
export async function serveConcierge({ argv, env, print, printError, ended }: ServerProcess): Promise<number> {
  try {
    const { help, port, memory, verbose } = readServerOptions(argv);
    if (help) print(`${SERVER_USAGE}\n`);
    if (help) return 0;
    const logger = lineLogger({ level: 'warning', verbose, write: (entry) => printError(`${entry}\n`) });
    const runtime = systemRuntime({ logger });
    const model = chooseModel({ runtime, env, wordDelayMs: WORD_DELAY_MS });
    const { services, close } = await openServices({ memory, model, runtime, env });
    try {
      const { sessionService, memoryService, artifactService, plugins, tools, timeZone } = services;
      const traces = new SpanMemory({ runtime });
      const rootAgent = createAgent({ llm: model.llm, memoryTools: tools, timeZone });
      const handler = createHandler({
        ...{ sessionService, memoryService, artifactService },
        ...{ runtime, traces, ui: devUi(), onDisconnect: 'continue', development: true, recover: true },
        apps: [{ name: APP_NAME, rootAgent, plugins, suggestions: suggestionsFor({ memory }) }],
      });
      const server = await serve(handler, { port: port ?? DEFAULT_PORT, runtime }).catch(async (error: unknown) => {
        // If the default port is taken, a free port is used.
        if (port === undefined && TholeError.is(error, 'INVALID_INPUT')) return serve(handler, { port: 0, runtime });
        await handler.close();
        throw error;
      });
      services.start();
      print(`Hotel concierge\n${model.notice}\n\nOpen ${server.url}/dev-ui/ in a browser. Ctrl-C stops the server.\n`);
      await ended;
      await server.close({ timeoutMs: 5_000 });
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    printError(`${codedLine(error)}\n${SERVER_USAGE}\n`);
    return 1;
  }
}
