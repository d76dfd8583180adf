import { TholeError } from '@thole/core';
import type { EnvVars } from '@thole/core';

/** A project and a location of Google Cloud. */
export interface GooglePlace {
  project: string;
  location: string;
}

/** Returns the environment variables of the process. */
export function processEnv(): EnvVars {
  return process.env;
}

/**
 * Returns the place from the options or the environment. Throws `INVALID_INPUT` that names the missing option and variable.
 */
export function resolvePlace(
  { project, location }: { project?: string | undefined; location?: string | undefined },
  owner: string,
  env: EnvVars,
): GooglePlace {
  const given = {
    project: project ?? env['GOOGLE_CLOUD_PROJECT'],
    location: location ?? env['GOOGLE_CLOUD_LOCATION'],
  };
  return {
    project: requirePlaceName(given.project, `project of ${owner}`, 'GOOGLE_CLOUD_PROJECT', 'my-project'),
    location: requirePlaceName(given.location, `location of ${owner}`, 'GOOGLE_CLOUD_LOCATION', 'us-central1'),
  };
}

function requirePlaceName(value: string | undefined, name: string, variable: string, example: string): string {
  if (value === undefined || value === '')
    throw new TholeError(
      'INVALID_INPUT',
      `${name} is missing. Set the option to a name such as ${example}, or set ${variable}.`,
    );
  // The name becomes one segment of a path.
  if (typeof value !== 'string' || !/^[a-z0-9][a-z0-9.:-]*$/i.test(value))
    throw new TholeError('INVALID_INPUT', `${name} must be a name such as ${example}.`);
  return value;
}

/** Returns the address of Vertex AI for a location. */
export function vertexUrl(location: string, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl.replace(/\/+$/, '');
  return location === 'global' ? 'https://aiplatform.googleapis.com' : `https://${location}-aiplatform.googleapis.com`;
}
