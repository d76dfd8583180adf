import type { Command } from 'commander';
import { schemesOf } from '../services/backends.ts';

/** Which services an app runs on: URIs, as typed. */
export interface ServiceOptions {
  sessionServiceUri?: string | undefined;
  artifactServiceUri?: string | undefined;
  memoryServiceUri?: string | undefined;
}

/** Gives a command the three options that name services. */
export function addServiceOptions(command: Command): Command {
  return command
    .option(
      '--session-service-uri <uri>',
      `where sessions are kept: ${schemesOf('sessions')} (default: ./.thole/sessions.db)`,
    )
    .option(
      '--artifact-service-uri <uri>',
      `where artifacts are kept: ${schemesOf('artifacts')} (default: ./.thole/artifacts, or memory:// where sessions are)`,
    )
    .option(
      '--memory-service-uri <uri>',
      `where memory is kept: ${schemesOf('memory')} (default: ./.thole/memory.db, or memory:// where sessions are)`,
    );
}
