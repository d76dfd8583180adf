import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { LineCounter, Node } from 'yaml';

/** A mistake in a YAML file. */
export interface Mistake {
  line: number;
  column: number;
  message: string;
}

/** A field of a mapping: the node of its name, and its value. */
interface Field {
  key: Node;
  value: Node | null;
}

const SECRET_NAME = /(^|_)(api_?key|key|token|secret|password|passwd|credential)s?($|_)/i;
const SECRET_VALUE = /^(AIza[\w-]{20,}|sk-[\w-]{16,}|\d{6,}:[\w-]{30,}|EAA\w{20,})$/;

/** Reads nodes of one YAML document into values of known types. Collects all mistakes with their positions. */
export class NodeReader {
  readonly mistakes: Mistake[] = [];
  readonly #lines: LineCounter;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /** Returns the fields of a mapping by name. Reports unknown names and values that look like secrets. */
  fields(node: Node | null | undefined, path: string, names: readonly string[] | 'any'): Map<string, Field> {
    const fields = new Map<string, Field>();
    if (isAbsent(node)) return fields;
    if (!isMap(node)) {
      this.#reportType(node, path, 'a mapping');
      return fields;
    }
    for (const { key, value } of node.items as unknown as Field[]) {
      if (!isScalar(key) || typeof key.value !== 'string') {
        this.report(key, `${path || 'The file'} must have names as keys.`);
        continue;
      }
      const name = key.value;
      const place = path === '' ? name : `${path}.${name}`;
      if (SECRET_NAME.test(name) && !(names !== 'any' && names.includes(name)))
        this.report(key, `${place} is not allowed: secrets are read from the environment only.`);
      else if (names !== 'any' && !names.includes(name))
        this.report(key, `There is no field ${place}. Fields here: ${names.join(', ')}.`);
      else if (fields.has(name)) this.report(key, `${place} is in the file twice.`);
      else fields.set(name, { key, value });
    }
    return fields;
  }

  boolean(field: Field | undefined, path: string, fallback: boolean): boolean {
    return this.#scalar(field, path, 'true or false', fallback, (value) => typeof value === 'boolean');
  }

  /** Reads an integer ≥ 1. */
  count(field: Field | undefined, path: string, fallback: number): number {
    return this.#scalar(field, path, 'an integer ≥ 1', fallback, (value) => Number.isSafeInteger(value) && value >= 1);
  }

  /** Reads the number of a TCP port; 0 selects a free port. */
  port(field: Field | undefined, path: string, fallback: number): number {
    return this.#scalar(field, path, 'an integer from 0 to 65535', fallback, (value) => {
      return Number.isSafeInteger(value) && value >= 0 && value <= 65_535;
    });
  }

  /** Reads a number > 0, also with a fraction. */
  positive(field: Field | undefined, path: string, fallback: number): number {
    return this.#scalar(field, path, 'a number > 0', fallback, (value) => Number.isFinite(value) && value > 0);
  }

  text<T extends string | undefined>(
    field: Field | undefined,
    path: string,
    fallback: T,
    p: { pattern?: RegExp; expected?: string } = {},
  ): T | string {
    const { pattern = /^/, expected = 'a string' } = p;
    return this.#scalar<string | T>(field, path, expected, fallback, (value) => {
      return typeof value === 'string' && pattern.test(value);
    });
  }

  choice<T extends string>(field: Field | undefined, path: string, fallback: T, choices: readonly T[]): T {
    return this.#scalar(field, path, choices.join(' or '), fallback, (value) => choices.includes(value));
  }

  list(field: Field | undefined, path: string): readonly Node[] {
    if (!field || isAbsent(field.value)) return [];
    if (isSeq(field.value)) return field.value.items as Node[];
    this.#reportType(field.value, path, 'a list');
    return [];
  }

  report(node: Node | null | undefined, message: string): void {
    this.reportAt(node?.range?.[0] ?? 0, message);
  }

  reportAt(offset: number, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.mistakes.push({ line: Math.max(line, 1), column: Math.max(col, 1), message });
  }

  #scalar<T>(field: Field | undefined, path: string, expected: string, fallback: T, isValid: (value: T) => boolean): T {
    if (!field) return fallback;
    const { key, value: node } = field;
    const value: unknown = isScalar(node) ? node.value : undefined;
    if (typeof value === 'string' && SECRET_VALUE.test(value))
      this.report(node, `${path} contains a secret. Secrets are read from the environment only.`);
    else if (isAbsent(node)) this.report(key, `${path} must be ${expected}, got nothing.`);
    else if (isScalar(node) && isValid(value as T)) return value as T;
    else this.#reportType(node, path, expected);
    return fallback;
  }

  #reportType(node: Node | null | undefined, path: string, expected: string): void {
    this.report(node, `${path === '' ? 'The file' : path} must be ${expected}, got ${describeType(node)}.`);
  }
}

function isAbsent(node: Node | null | undefined): node is null | undefined {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

/** Describes the type of a value. It does not contain the value, which may be private. */
function describeType(node: Node | null | undefined): string {
  if (isAlias(node)) return 'an alias';
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'nothing';
  if (typeof node.value === 'number') return 'another number';
  if (typeof node.value === 'string') return 'another string';
  return `a ${typeof node.value}`;
}
