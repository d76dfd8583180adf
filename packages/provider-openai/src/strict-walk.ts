import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

// The limits and keywords of "Structured model outputs", Supported schemas: https://developers.openai.com/api/docs/guides/structured-outputs
const MAX_PROPERTIES = 5000;
const MAX_NESTING = 10;
const MAX_NAME_CHARACTERS = 120_000;
const MAX_ENUM_VALUES = 1000;
const LONG_ENUM_VALUES = 250;
const MAX_LONG_ENUM_CHARACTERS = 15_000;
const FORMATS: readonly unknown[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
];
const SUPPORTED = [
  ...['type', 'required', 'enum', 'const', '$ref', '$schema', 'title', 'description', 'pattern', 'format'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
];
/** Keywords that OpenAI rejects. They do not affect validation, so they are removed. */
const REMOVED = ['default', 'examples', '$comment', '$id', '$anchor', 'deprecated', 'readOnly', 'writeOnly'];

/** Copies a schema by the rules of strict mode. */
export class StrictWalk {
  /** The first violation, after its path. */
  violation: string | undefined;
  #properties = 0;
  #enumValues = 0;
  #characters = 0;

  walk(schema: Json, path: string, depth: number): JsonObject {
    if (!isPlainObject(schema)) {
      this.#addViolation(path, 'it must be a schema with a type');
      return {};
    }
    const copy: JsonObject = {};
    const { $ref } = schema;
    if ($ref !== undefined) return { $ref };
    for (const [keyword, value] of Object.entries(schema)) {
      if (REMOVED.includes(keyword)) continue;
      setOwn(copy, keyword, this.#member(keyword, value, path, depth));
    }
    if (!['type', 'anyOf'].some((keyword) => schema[keyword] !== undefined)) this.#addViolation(path, 'it has no type');
    if (hasType(schema, 'object')) this.#object(copy, path, depth);
    if (hasType(schema, 'array') && schema['items'] === undefined) this.#addViolation(path, 'it has no items');
    this.#enum(schema['enum'], path);
    if (typeof schema['const'] === 'string') this.#characters += schema['const'].length;
    return copy;
  }

  /** Returns the limit that the schema exceeds, after its path. Must be called after `walk`. */
  findExceededLimit(path: string): string | undefined {
    if (this.#properties > MAX_PROPERTIES) return `${path}: it has more than ${MAX_PROPERTIES} properties`;
    if (this.#enumValues > MAX_ENUM_VALUES) return `${path}: it has more than ${MAX_ENUM_VALUES} enum values`;
    if (this.#characters <= MAX_NAME_CHARACTERS) return undefined;
    return `${path}: its names and enum values have more than ${MAX_NAME_CHARACTERS} characters`;
  }

  #member(keyword: string, value: Json, path: string, depth: number): Json {
    const memberPath = `${path}.${keyword}`;
    if (keyword === 'items') return this.walk(value, memberPath, depth);
    if (keyword === 'anyOf' && Array.isArray(value)) {
      return value.map((each, i) => this.walk(each, `${memberPath}[${i}]`, depth));
    }
    if ((keyword === 'properties' || keyword === '$defs' || keyword === 'definitions') && isPlainObject(value)) {
      const copy: JsonObject = {};
      for (const [name, each] of Object.entries(value)) {
        this.#characters += name.length;
        // The depth of definitions starts at 0, because they may refer to themselves.
        setOwn(copy, name, this.walk(each, `${memberPath}.${name}`, keyword === 'properties' ? depth + 1 : 0));
      }
      return copy;
    }
    if (keyword === 'format' && !FORMATS.includes(value)) this.#addViolation(memberPath, 'the format is not supported');
    if (keyword === 'additionalProperties') {
      if (value !== false) this.#addViolation(memberPath, 'it must be false');
    } else if (!SUPPORTED.includes(keyword)) this.#addViolation(memberPath, 'the keyword is not supported');
    return value;
  }

  #object(copy: JsonObject, path: string, depth: number): void {
    const { properties } = copy;
    if (!isPlainObject(properties)) return this.#addViolation(path, 'an object must name its properties');
    if (copy['anyOf'] !== undefined)
      this.#addViolation(path, 'an object must not have anyOf, so move it into a property');
    if (depth >= MAX_NESTING) this.#addViolation(path, `it is nested deeper than ${MAX_NESTING} levels`);
    const names = Object.keys(properties);
    const required = new Set<Json>(Array.isArray(copy['required']) ? copy['required'] : []);
    this.#properties += names.length;
    const optional = names.find((name) => !required.has(name));
    if (optional !== undefined) this.#addViolation(`${path}.properties.${optional}`, 'it must be in required');
    copy['additionalProperties'] ??= false;
    copy['required'] ??= [];
  }

  #enum(values: unknown, path: string): void {
    if (!Array.isArray(values)) return;
    const characters = values.reduce<number>((sum, each) => sum + (typeof each === 'string' ? each.length : 0), 0);
    this.#enumValues += values.length;
    this.#characters += characters;
    if (values.length > LONG_ENUM_VALUES && characters > MAX_LONG_ENUM_CHARACTERS) {
      this.#addViolation(`${path}.enum`, `its values have more than ${MAX_LONG_ENUM_CHARACTERS} characters`);
    }
  }

  #addViolation(path: string, reason: string): void {
    this.violation ??= `${path}: ${reason}`;
  }
}

function hasType(schema: { [key: string]: unknown }, type: string): boolean {
  return schema['type'] === type || (Array.isArray(schema['type']) && schema['type'].includes(type));
}
