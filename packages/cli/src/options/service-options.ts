import { Option } from 'commander';
import type { Command } from 'commander';
import { schemesOf } from '@thole/services/kit';

/** URIs of the services of an app, as typed. */
export interface ServiceOptions {
  sessionServiceUri?: string | undefined;
  artifactServiceUri?: string | undefined;
  memoryServiceUri?: string | undefined;
}

/** Deprecated names of ADK's options, with the options that replace them. */
const oldNames = { sessionDbUrl: 'sessionServiceUri', artifactStorageUri: 'artifactServiceUri' } as const;

/**
 * Adds the three options for services to a command, and ADK's deprecated names of two of them. An option has precedence
 * over its deprecated name.
 */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--session-service-uri <uri>', `sessions: ${schemesOf('sessions')} (default: ./.thole/sessions.db)`)
    .option(
      '--artifact-service-uri <uri>',
      `artifacts: ${schemesOf('artifacts')} (default: ./.thole/artifacts, or memory:// if sessions are in memory)`,
    )
    .option(
      '--memory-service-uri <uri>',
      `memory: ${schemesOf('memory')} (default: ./.thole/memory.db, or memory:// if sessions are in memory)`,
    )
    .addOption(new Option('--session-db-url <uri>', "ADK's old name of --session-service-uri").hideHelp())
    .addOption(new Option('--artifact-storage-uri <uri>', "ADK's old name of --artifact-service-uri").hideHelp())
    .hook('preAction', (called) => {
      for (const [old, name] of Object.entries(oldNames))
        if (called.getOptionValue(name) === undefined) called.setOptionValue(name, called.getOptionValue(old));
    });
}
