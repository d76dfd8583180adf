import { failInvalidJson, invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { JsonCopier } from '../json/copy-json.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import { setOwn } from '../json/own.ts';
import type { AuthConfig, AuthScheme } from './auth-config.ts';
import type { AuthCredential } from './auth-credential.ts';

const schemeTypes: readonly string[] = ['apiKey', 'http', 'oauth2', 'openIdConnect'] satisfies AuthScheme['type'][];
const credentialTypes: readonly string[] = [
  ...(['apiKey', 'http', 'oauth2', 'openIdConnect', 'serviceAccount'] satisfies AuthCredential['authType'][]),
];

/** Maps whose keys are names of an API: scopes and headers. Their keys are not converted. */
const mapsWithNames: ReadonlySet<string> = new Set(['scopes', 'additionalHeaders', 'additional_headers']);

/**
 * Returns an `AuthConfig` with camelCase members. Accepts ADK's camelCase and snake_case. Members that are null are
 * left out. Throws `INVALID_INPUT` for another shape; the message contains no values.
 */
export function readAuthConfig(value: unknown, argument = 'authConfig'): AuthConfig {
  if (!isPlainObject(value)) throw invalidInput(argument, 'an object with authScheme', value);
  const { authScheme, rawAuthCredential, exchangedAuthCredential, credentialKey } = toCamelCase(
    toJson(value, argument),
  );
  const raw = readOptionalCredential(rawAuthCredential, `${argument}.rawAuthCredential`);
  const exchanged = readOptionalCredential(exchangedAuthCredential, `${argument}.exchangedAuthCredential`);
  if (credentialKey !== undefined && typeof credentialKey !== 'string') {
    throw invalidInput(`${argument}.credentialKey`, 'a string', credentialKey);
  }
  return {
    authScheme: readScheme(authScheme, `${argument}.authScheme`),
    ...(raw && { rawAuthCredential: raw }),
    ...(exchanged && { exchangedAuthCredential: exchanged }),
    ...(credentialKey !== undefined && { credentialKey }),
  };
}

/** Returns an `AuthCredential` with camelCase members. Accepts both spellings. Throws `INVALID_INPUT` for another shape. */
export function readAuthCredential(value: unknown, argument = 'credential'): AuthCredential {
  if (!isPlainObject(value)) throw invalidInput(argument, 'an object with authType', value);
  const credential = toCamelCase(toJson(value, argument));
  assertOneOf(`${argument}.authType`, credential['authType'], credentialTypes);
  assertOptional(`${argument}.apiKey`, credential['apiKey'], 'a string', isString);
  for (const name of ['http', 'oauth2', 'serviceAccount']) {
    assertOptional(`${argument}.${name}`, credential[name], 'an object', isPlainObject);
  }
  const { http, oauth2 } = credential as { [name: string]: { [name: string]: unknown } | undefined };
  if (http) {
    if (!isString(http['scheme'])) throw invalidInput(`${argument}.http.scheme`, 'a string', http['scheme']);
    if (!isPlainObject(http['credentials'])) {
      throw invalidInput(`${argument}.http.credentials`, 'an object', http['credentials']);
    }
  }
  for (const [name, member] of Object.entries(oauth2 ?? {})) {
    const isTime = name === 'expiresAt' || name === 'expiresIn';
    if (isTime) assertOptional(`${argument}.oauth2.${name}`, member, 'a finite number', Number.isFinite);
    else assertOptional(`${argument}.oauth2.${name}`, member, 'a string', isString);
  }
  return credential as unknown as AuthCredential;
}

function readOptionalCredential(value: unknown, argument: string): AuthCredential | undefined {
  return value === undefined ? undefined : readAuthCredential(value, argument);
}

function readScheme(value: unknown, argument: string): AuthScheme {
  if (!isPlainObject(value)) throw invalidInput(argument, 'an object with type', value);
  assertOneOf(`${argument}.type`, value['type'], schemeTypes);
  if (value['type'] === 'oauth2' && !isPlainObject(value['flows'])) {
    throw invalidInput(`${argument}.flows`, 'an object', value['flows']);
  }
  return value as unknown as AuthScheme;
}

function assertOneOf(argument: string, value: unknown, known: readonly string[]): void {
  if (isString(value) && known.includes(value)) return;
  const list = known.map((each) => `'${each}'`).join(', ');
  if (!isString(value)) throw invalidInput(argument, `one of ${list}`, value);
  throw new TholeError('INVALID_INPUT', `${argument} must be one of ${list}.`);
}

function assertOptional(
  argument: string,
  value: unknown,
  expected: string,
  isExpected: (value: unknown) => boolean,
): void {
  if (value !== undefined && !isExpected(value)) throw invalidInput(argument, expected, value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function toJson(value: object, argument: string): { [name: string]: unknown } {
  return new JsonCopier(failInvalidJson).copy(value, argument) as { [name: string]: unknown };
}

// Pydantic writes `type_` and `in_` for `type` and `in`.
function toCamelCase(value: { [name: string]: unknown }): { [name: string]: unknown } {
  const converted: { [name: string]: unknown } = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue;
    // Without the lookbehinds, a long series of underscores would take quadratic time.
    const camel = name
      .replace(/(?<!_)_+$/, '')
      .replaceAll(/(?<!_)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const isCopied = mapsWithNames.has(name) || Array.isArray(member) || !isPlainObject(member);
    setOwn(converted, camel, isCopied ? member : toCamelCase(member));
  }
  return converted;
}
