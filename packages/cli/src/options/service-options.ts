import type { Command } from 'commander';
import { schemesOf } from '../services/backends.ts';

/** URIs of the services of an app, as typed. */
export interface ServiceOptions {
  sessionServiceUri?: string | undefined;
  artifactServiceUri?: string | undefined;
  memoryServiceUri?: string | undefined;
}

/** Adds the three options for services to a command. */
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
    );
}
