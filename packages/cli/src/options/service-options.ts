import type { Command } from 'commander';
import { artifactServices } from '../services/artifact-services.ts';
import { memoryServices } from '../services/memory-services.ts';
import { schemesOf } from '../services/service-table.ts';
import { sessionServices } from '../services/session-services.ts';

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
      `where sessions are kept: ${schemesOf(sessionServices)} (default: ./.thole/sessions.db)`,
    )
    .option(
      '--artifact-service-uri <uri>',
      `where artifacts are kept: ${schemesOf(artifactServices)} (default: ./.thole/artifacts)`,
    )
    .option('--memory-service-uri <uri>', `where memory is kept: ${schemesOf(memoryServices)} (default: memory://)`);
}
