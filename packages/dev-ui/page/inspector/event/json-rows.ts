import type { Json } from '@thole/core';
import { escapeHidden } from '@thole/core/kit';

/** One visible line of a folded JSON tree. */
export interface JsonRow {
  /** JSON pointer of the value; '' is the whole value. */
  path: string;
  depth: number;
  /** Name of the member or index of the element. Undefined for the whole value. */
  name: string | undefined;
  kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
  /**
   * The value as JSON, with escapes for invisible characters, cut if it is very long; for objects and arrays a short
   * summary.
   */
  text: string;
  /** Undefined if the value has no members. */
  isOpen: boolean | undefined;
  /** Position among its siblings, from 1, and their number. */
  position: number;
  siblings: number;
  isMatch: boolean;
}

/** Nodes that the user opened or closed, by path. All others follow `isOpenByDefault`. */
export type Folds = ReadonlyMap<string, boolean>;

/**
 * Returns the visible lines of a JSON value. With a query, only lines that contain it in a name or value
 * (case-insensitive), with their ancestors; folds are then ignored. `open` levels are open at first. Default: 5.
 */
export function jsonRows(
  value: Json,
  p: { folds?: Folds | undefined; query?: string | undefined; open?: number | undefined } = {},
): JsonRow[] {
  const query = p.query?.trim().toLowerCase() ?? '';
  const rows: JsonRow[] = [];
  const place = { path: '', depth: 0, name: undefined, position: 1, siblings: 1 };
  if (query === '') addOpen(rows, value, place, { folds: p.folds ?? new Map(), open: p.open ?? OPEN_DEPTH });
  else addMatching(rows, value, place, query);
  return rows;
}

/**
 * Returns every object and array of a value as opened or closed, for "open all" and "close all". The whole value
 * stays open.
 */
export function foldAll(value: Json, isOpen: boolean): Folds {
  const folds = new Map<string, boolean>();
  const walk = (each: Json, path: string): void => {
    const children = childrenOf(each);
    if (children.length > 0) folds.set(path, isOpen || path === '');
    for (const [name, child] of children) walk(child, pathOf(path, name));
  };
  walk(value, '');
  return folds;
}

interface Place {
  path: string;
  depth: number;
  name: string | undefined;
  position: number;
  siblings: number;
}

/** Longer texts are cut, such as images in base64. */
const MAX_TEXT_LENGTH = 2_000;
const OPEN_DEPTH = 5;
const OPEN_CHILDREN = 40;

function addOpen(rows: JsonRow[], value: Json, place: Place, p: { folds: Folds; open: number }): void {
  const children = childrenOf(value);
  const isOpen =
    children.length === 0 ? undefined : (p.folds.get(place.path) ?? isOpenByDefault(place, children.length, p.open));
  rows.push(rowOf(value, place, isOpen, false));
  if (isOpen) for (const child of childPlaces(place, children)) addOpen(rows, child.value, child.place, p);
}

function addMatching(rows: JsonRow[], value: Json, place: Place, query: string): boolean {
  const at = rows.length;
  const children = childrenOf(value);
  const isMatch =
    place.name?.toLowerCase().includes(query) === true ||
    (typeof value !== 'object' && String(value).toLowerCase().includes(query));
  rows.push(rowOf(value, place, children.length > 0 ? true : undefined, isMatch));
  let hasMatch = isMatch;
  for (const child of childPlaces(place, children)) {
    if (addMatching(rows, child.value, child.place, query)) hasMatch = true;
  }
  if (!hasMatch) rows.length = at;
  else if (rows.length === at + 1 && rows[at]!.isOpen) rows[at]!.isOpen = false;
  return hasMatch;
}

function isOpenByDefault(place: Place, children: number, open: number): boolean {
  return place.depth === 0 || (place.depth < open && children <= OPEN_CHILDREN);
}

function rowOf(value: Json, place: Place, isOpen: boolean | undefined, isMatch: boolean): JsonRow {
  return { ...place, kind: kindOf(value), text: textOf(value), isOpen, isMatch };
}

function kindOf(value: Json): JsonRow['kind'] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'object' | 'string' | 'number' | 'boolean';
}

function textOf(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.length} ]`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value);
    return names.length === 0 ? '{}' : `{ ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''} }`;
  }
  if (typeof value === 'string' && value.length > MAX_TEXT_LENGTH)
    return `${escapeHidden(JSON.stringify(value.slice(0, MAX_TEXT_LENGTH)))} … ${value.length.toLocaleString('en')} characters`;
  return escapeHidden(JSON.stringify(value));
}

function childrenOf(value: Json): [string, Json][] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.map((each, i) => [String(i), each]);
  return Object.entries(value).filter(([, each]) => each !== undefined);
}

function childPlaces(parent: Place, children: [string, Json][]): { value: Json; place: Place }[] {
  return children.map(([name, value], i) => ({
    value,
    place: {
      path: pathOf(parent.path, name),
      depth: parent.depth + 1,
      name,
      position: i + 1,
      siblings: children.length,
    },
  }));
}

const pathOf = (parent: string, name: string): string =>
  `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
