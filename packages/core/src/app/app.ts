import type { Agent } from '../agent/agent.ts';
import type { ModelFactory } from '../model/model-factory.ts';
import type { Plugin } from '../plugin/plugin.ts';

/** The agent, plugins and models that a runner or server runs, without the services. */
export interface App {
  name: string;
  rootAgent: Agent;
  plugins?: readonly Plugin[] | undefined;
  models?: readonly ModelFactory[] | undefined;
  /** First messages that a user interface may offer in a new session. Default: none. */
  suggestions?: readonly string[] | undefined;
}
