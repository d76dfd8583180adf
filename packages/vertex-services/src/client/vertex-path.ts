import { resolvePlace, processEnv } from './google-place.ts';
import type { GooglePlace } from './google-place.ts';

/** A path below the version of the API, in the location that serves it. */
export interface VertexPath {
  readonly location: string;
  /** Such as `projects/p/locations/l/reasoningEngines/1`. */
  readonly name: string;
}

/**
 * Returns the path of a resource from its id, or from its name `projects/…/locations/…/<collection>/<id>`. Undefined for any
 * other value. Throws `INVALID_INPUT` for an id without a project or location in the options of `owner` and the environment.
 */
export function resolveVertexPath(
  value: unknown,
  collection: string,
  { options, owner }: { options: { readonly [name in keyof GooglePlace]?: string | undefined }; owner: string },
): VertexPath | undefined {
  if (typeof value !== 'string') return undefined;
  const location = locationIn(value, collection);
  if (location !== undefined) return { location, name: value };
  if (!/^[\w-]+$/.test(value)) return undefined;
  const place = resolvePlace(options, owner, processEnv());
  return {
    location: place.location,
    name: `projects/${place.project}/locations/${place.location}/${collection}/${value}`,
  };
}

/** Returns the location in the name of a resource of this collection. Undefined for any other text. */
export function locationIn(name: string, collection: string): string | undefined {
  // The location becomes part of the server's name, so other characters could send the access token to another server.
  const [, location, found] = /^projects\/[\w.:-]*\w\/locations\/([a-z0-9-]+)\/(\w+)\/[\w-]+$/.exec(name) ?? [];
  return found === collection ? location : undefined;
}
