/** Maximum nesting depth of a stored value. */
export const MAX_JSON_DEPTH = 100;

/** The reason why a value is not JSON. */
export interface JsonProblem {
  /** Path in JavaScript notation, starting with the value's name: `state.cart[2].when`. */
  path: string;
  /** The problem at that path: `is a Date`. */
  problem: string;
}

/**
 * Returns the path and the problem of the first part of a value that is not JSON, or nested deeper than `maxDepth`. Undefined for JSON. Slower than
 * copying, so it is called only after a copy has failed.
 */
export function findNonJson(value: unknown, name: string, maxDepth: number = MAX_JSON_DEPTH): JsonProblem | undefined {
  return findProblem(value, name, { ancestors: [], maxDepth });
}

interface Place {
  readonly ancestors: readonly object[];
  readonly maxDepth: number;
}

function findProblem(value: unknown, path: string, { ancestors, maxDepth }: Place): JsonProblem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path, problem: `is ${value}` };
  if (typeof value !== 'object') return { path, problem: `is ${withArticle(typeof value)}` };
  if (ancestors.includes(value)) return { path, problem: 'refers back to a value that contains it' };
  if (ancestors.length >= maxDepth) return { path, problem: `is nested deeper than ${maxDepth} levels` };
  const inside = { ancestors: [...ancestors, value], maxDepth };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = findProblem(value[i], `${path}[${i}]`, inside);
      if (found) return found;
    }
    return undefined;
  }
  if (!isPlainObject(value)) return { path, problem: `is ${withArticle(nameOfClass(value))}` };
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const found = findProblem(
      member,
      `${path}${/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`,
      inside,
    );
    if (found) return found;
  }
  return undefined;
}

/**
 * True for an object literal, an object without a prototype, or a plain object of another realm; false for an
 * instance of a class.
 */
export function isPlainObject(value: unknown): value is { [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the type or class of a value for error messages, never the value. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return isPlainObject(value) ? 'an object' : withArticle(nameOfClass(value));
  return withArticle(typeof value);
}

function nameOfClass(value: object): string {
  const type: unknown = value.constructor;
  return typeof type === 'function' && type.name ? type.name : 'class instance';
}

function withArticle(noun: string): string {
  return noun === 'undefined' ? noun : /^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`;
}
