import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { JsonObject } from '../json/json.ts';
import { toWellFormed } from '../json/to-well-formed.ts';
import { describeMismatch } from './describe-mismatch.ts';

/** A schema of zod, valibot, arktype or any other library that implements Standard Schema (standardschema.dev, version 1). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidationResult<Output> | Promise<ValidationResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: returns the schema as JSON Schema. */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>;
          readonly output: (options: { readonly target: string }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** The validated value, or the issues found. */
export type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

/** One issue of a value and its path. */
export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema, or a schema with the JSON Schema that its library cannot produce. */
export type SchemaInput<Output = unknown> =
  | StandardSchema<unknown, Output>
  | StandardSchema<never, Output>
  | {
      readonly schema: StandardSchema<unknown, Output> | StandardSchema<never, Output>;
      readonly jsonSchema: JsonObject;
    };

/** The type of a schema's values after validation. */
export type OutputOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : S extends { readonly schema: infer Inner }
    ? OutputOf<Inner>
    : unknown;

/** A schema as JSON Schema for the model, and a validator for values of the model. */
export interface ReadSchema<Output = unknown> {
  readonly jsonSchema: JsonObject;
  /** JSON Schema of validated values. Undefined if the library cannot write it, for example because of a transform. */
  readonly outputJsonSchema: JsonObject | undefined;
  /**
   * Returns the value, or its first issues and the number of the others. `mismatch` describes the first issue with names of the
   * schema only, for errors, which never contain content.
   */
  validate(value: unknown): Promise<{ value: Output } | { issues: string[]; mismatch?: string | undefined }>;
}

/**
 * Reads a schema. `argument` names it in errors. Throws `INVALID_INPUT` if it is not a schema, and
 * `SCHEMA_UNSUPPORTED` with the vendor if neither its library nor the caller provides JSON Schema.
 */
export function readSchema<Output>(input: SchemaInput<Output>, argument: string): ReadSchema<Output> {
  const given: unknown = input;
  if (isStandardSchema(given)) {
    const jsonSchema = jsonSchemaOf(given, argument);
    return {
      jsonSchema,
      // A getter, because the library computes it and few callers read it.
      get outputJsonSchema() {
        return outputSchemaOf(given);
      },
      validate: validator<Output>(given, jsonSchema),
    };
  }
  if (isPlainObject(given) && isStandardSchema(given['schema'])) {
    const { jsonSchema } = given;
    if (!isPlainObject(jsonSchema)) throw invalidInput(`${argument}.jsonSchema`, 'a JSON Schema object', jsonSchema);
    const { schema } = given;
    // A library without JSON Schema cannot say whether it transforms values.
    return {
      jsonSchema: jsonSchema as JsonObject,
      get outputJsonSchema() {
        return schema['~standard'].jsonSchema ? outputSchemaOf(schema) : (jsonSchema as JsonObject);
      },
      validate: validator<Output>(schema, jsonSchema as JsonObject),
    };
  }
  if (isPlainObject(given) && Object.values(given).some(isStandardSchema)) {
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} is an object of schemas. Wrap it in one schema, with zod: z.object({ ${Object.keys(given).join(', ')} }).`,
    );
  }
  if (isPlainObject(given) && ('type' in given || 'properties' in given || '$schema' in given)) {
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} is a plain JSON Schema. Wrap it with jsonSchema() of @thole/tools.`,
    );
  }
  throw invalidInput(argument, 'a Standard Schema (zod, valibot, arktype …), or {schema, jsonSchema}', input);
}

/** True if a value is a schema of the Standard Schema specification: zod, valibot, arktype and others. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false;
  const standard = value['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof (standard as { validate?: unknown }).validate === 'function'
  );
}

function jsonSchemaOf(schema: StandardSchema, argument: string): JsonObject {
  const { vendor, jsonSchema } = schema['~standard'];
  if (!jsonSchema) {
    throw new TholeError(
      'SCHEMA_UNSUPPORTED',
      `${argument} is a schema of ${versionOf(schema)}, which does not provide JSON Schema. ${suggestAlternative(schema)}.`,
    );
  }
  try {
    return jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
  } catch (cause) {
    const reason = cause instanceof Error && cause.message !== '' ? `: ${cause.message.replace(/\.$/, '')}` : '';
    throw new TholeError(
      'SCHEMA_UNSUPPORTED',
      `${argument} cannot be written as JSON Schema by ${vendor}${reason}. Use a type that JSON has, or pass {schema, jsonSchema}.`,
      { cause },
    );
  }
}

function outputSchemaOf(schema: StandardSchema): JsonObject | undefined {
  try {
    return schema['~standard'].jsonSchema?.output({ target: 'draft-2020-12' }) as JsonObject | undefined;
  } catch {
    return undefined;
  }
}

// zod 4 keeps its internals under `_zod`, also in zod/mini.
const isZod = (schema: StandardSchema): boolean => schema['~standard'].vendor === 'zod';
const isZod3 = (schema: StandardSchema): boolean => isZod(schema) && !('_zod' in schema);

function versionOf(schema: StandardSchema): string {
  if (isZod3(schema)) return 'zod 3';
  return isZod(schema) ? 'zod/mini (or zod before 4.2)' : schema['~standard'].vendor;
}

function suggestAlternative(schema: StandardSchema): string {
  if (isZod3(schema)) return 'Use zod 4.2 or newer, or pass {schema, jsonSchema}';
  if (isZod(schema)) return 'Pass {schema, jsonSchema: z.toJSONSchema(schema, { io: "input" })}';
  return 'Pass {schema, jsonSchema} instead';
}

function validator<Output>(schema: StandardSchema, jsonSchema: JsonObject): ReadSchema<Output>['validate'] {
  // Libraries read an absent member with such a name from the prototype of the value. Our own schemas do not.
  const hasInheritedName = schema['~standard'].vendor !== 'thole' && declaresInheritedName(jsonSchema);
  return async (value) => {
    const result = await validate(schema, hasInheritedName ? withoutPrototype(value) : value);
    if (!result.issues) return { value: result.value as Output };
    const path = (result.issues[0]?.path ?? []).map(keyOf);
    return { issues: describeIssues(result.issues), mismatch: describeMismatch(jsonSchema, value, path) };
  };
}

/** True if a schema declares a member such as `constructor` or `toString`, which every object inherits. */
function declaresInheritedName(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([name, each]) => name in Object.prototype || declaresInheritedName(each));
}

function withoutPrototype(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototype);
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) copy[name] = withoutPrototype(each);
  return copy;
}

/** The method with which zod validates only asynchronously. */
interface AsyncParser {
  safeParseAsync?(
    value: unknown,
  ): Promise<
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly ValidationIssue[] } }
  >;
}

// zod's own `validate` tries a synchronous run first. An async refinement then runs twice, and its first rejection stays unhandled.
async function validate(schema: StandardSchema, value: unknown): Promise<ValidationResult<unknown>> {
  const parser = isZod(schema) ? (schema as AsyncParser) : {};
  if (typeof parser.safeParseAsync !== 'function') return schema['~standard'].validate(value);
  const parsed = await parser.safeParseAsync(value);
  return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
}

const MAX_ISSUES = 10;
const MAX_ISSUE_CHARACTERS = 2_000;

/** Returns the first issues and the number of the others: each model call pays for the text. */
function describeIssues(issues: readonly ValidationIssue[]): string[] {
  const texts = issues.slice(0, MAX_ISSUES).map((issue) => cut(describeIssue(issue)));
  const more = issues.length - MAX_ISSUES;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

// The text of an issue may name all 20,000 values of an enum.
function cut(text: string): string {
  return text.length <= MAX_ISSUE_CHARACTERS ? text : `${toWellFormed(text.slice(0, MAX_ISSUE_CHARACTERS))}…`;
}

function describeIssue(issue: ValidationIssue): string {
  const path = (issue.path ?? []).map((step) => String(keyOf(step))).join('.');
  const text = alternativesOf(issue).join(', or ') || issue.message;
  return path ? `${path}: ${text}` : text;
}

const keyOf = (step: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof step === 'object' ? step.key : step;

const MAX_ALTERNATIVES = 5;

/** Returns the issues of each member of a zod union whose own message is only "Invalid input". */
function alternativesOf({ errors, message }: ValidationIssue & { readonly errors?: unknown }): string[] {
  if (!Array.isArray(errors) || message !== 'Invalid input') return [];
  const texts = (errors as readonly ValidationIssue[][]).map((issues) => issues.map(describeIssue).join(' and '));
  return [...new Set(texts)].slice(0, MAX_ALTERNATIVES);
}
