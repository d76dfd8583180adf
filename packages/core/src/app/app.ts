import type { Agent } from '../agent/agent.ts';
import type { ModelFactory } from '../model/model-factory.ts';
import type { Plugin } from '../plugin/plugin.ts';

/** What a runner or server runs, without the services it runs on. */
export interface App {
  name: string;
  rootAgent: Agent;
  plugins?: readonly Plugin[] | undefined;
  models?: readonly ModelFactory[] | undefined;
  /** First messages that a user interface may offer for a new session. Default: none. */
  suggestions?: readonly string[] | undefined;
}
