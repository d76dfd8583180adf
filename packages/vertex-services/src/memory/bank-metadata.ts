import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** Keys that only `:ingestEvents` has. */
const INGEST_KEYS: Keys = {
  force_flush: ['forceFlush', 'a boolean'],
  generation_trigger_config: ['generationTriggerConfig', 'an object'],
  stream_id: ['streamId', 'a string'],
};
/** Keys that only `memories:generate` has. */
const GENERATE_KEYS: Keys = {
  allowed_topics: ['allowedTopics', 'an array'],
  disable_consolidation: ['disableConsolidation', 'a boolean'],
  metadata_merge_strategy: ['metadataMergeStrategy', 'a string'],
};
/** Keys of memories and of the revisions that `memories:generate` writes. */
const REVISION_KEYS: Keys = {
  disable_memory_revisions: ['disableMemoryRevisions', 'a boolean'],
  revision_expire_time: ['revisionExpireTime', 'a string'],
  revision_labels: ['revisionLabels', 'an object'],
  revision_ttl: ['revisionTtl', 'a duration'],
};
/** Keys of a memory that is written directly. */
const CREATE_KEYS: Keys = {
  description: ['description', 'a string'],
  display_name: ['displayName', 'a string'],
  expire_time: ['expireTime', 'a string'],
  topics: ['topics', 'an array'],
  ttl: ['ttl', 'a duration'],
};
/** Keys that this package reads itself. */
const OWN_KEYS: Keys = {
  enable_consolidation: ['enableConsolidation', 'a boolean'],
  memory_id: ['memoryId', 'a string'],
  metadata: ['metadata', 'an object'],
  wait_for_completion: ['waitForCompletion', 'a boolean'],
};

const KEY_GROUPS = [INGEST_KEYS, GENERATE_KEYS, REVISION_KEYS, CREATE_KEYS, OWN_KEYS];

/** Name of a request's member and the type of its value, by the key of ADK. */
type Keys = { readonly [key: string]: readonly [member: string, type: string] };

/** Custom metadata of ADK, split by the requests that have it. */
export interface BankMetadata {
  /** Members of `:ingestEvents`. */
  ingest: JsonObject;
  /** Members of `memories:generate`. */
  generate: JsonObject;
  /** Members of a memory that is written directly. */
  create: JsonObject;
  /** Metadata of memories, with typed values. Undefined if there is no metadata. */
  metadata: JsonObject | undefined;
  /** True if a key needs `memories:generate`. */
  needsGenerate: boolean;
  waitsForCompletion: boolean;
  consolidates: boolean;
  memoryId: string | undefined;
}

/**
 * Reads ADK's keys of custom metadata. All other keys become metadata of the memories. Throws `INVALID_INPUT` for invalid
 * values.
 */
export function readBankMetadata(custom: JsonObject = {}): BankMetadata {
  if (!isPlainObject(custom)) throw invalidInput('customMetadata', 'an object', custom);
  const ingest: JsonObject = {};
  const generate: JsonObject = {};
  const create: JsonObject = {};
  const metadata: JsonObject = {};
  for (const [key, value] of Object.entries(custom)) {
    if (key === 'http_options')
      throw new TholeError(
        'INVALID_INPUT',
        'customMetadata.http_options is not supported. Set timeoutMs of the service.',
      );
    const group = KEY_GROUPS.find((keys) => Object.hasOwn(keys, key));
    if (!group) {
      setOwn(metadata, key, toTypedValue(value!));
      continue;
    }
    const [member, type] = group[key]!;
    const checked = checkType(`customMetadata.${key}`, type, value!);
    if (group === INGEST_KEYS) ingest[member] = checked;
    if (group === GENERATE_KEYS || group === REVISION_KEYS) generate[member] = checked;
    if (group === CREATE_KEYS || group === REVISION_KEYS) create[member] = checked;
    if (key === 'metadata')
      for (const [name, each] of Object.entries(checked as JsonObject)) setOwn(metadata, name, toTypedValue(each));
  }
  // `memories:generate` has a time to live only for revisions.
  const { ttl } = create;
  if (ttl !== undefined && generate['revisionTtl'] === undefined) generate['revisionTtl'] = ttl;
  assertOneRequest(Object.keys(custom));
  return {
    ingest,
    generate,
    create,
    needsGenerate: Object.keys(custom).some((key) => !isIngestKey(key) && key !== 'memory_id'),
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    waitsForCompletion: custom['wait_for_completion'] === true,
    consolidates: custom['enable_consolidation'] === true,
    memoryId: custom['memory_id'] as string | undefined,
  };
}

function isIngestKey(key: string): boolean {
  return Object.hasOwn(INGEST_KEYS, key);
}

/** Throws `INVALID_INPUT` for keys of `:ingestEvents` together with other keys. */
function assertOneRequest(keys: readonly string[]): void {
  const ingestKey = keys.find(isIngestKey);
  const otherKey = keys.find((key) => !isIngestKey(key));
  if (ingestKey !== undefined && otherKey !== undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `customMetadata.${ingestKey} and customMetadata.${otherKey} belong to different requests. Pass only one of them.`,
    );
}

function checkType(name: string, type: string, value: Json): Json {
  if (type === 'a duration') {
    if (typeof value === 'number' && value > 0 && value < Infinity) return `${value}s`;
    if (typeof value === 'string' && /^\d+(\.\d+)?s$/.test(value)) return value;
    throw invalidInput(name, 'a finite number of seconds above 0 or a string such as "3600s"', value);
  }
  const isValid =
    type === 'an object'
      ? isPlainObject(value)
      : type === 'an array'
        ? Array.isArray(value)
        : `a ${typeof value}` === type;
  if (!isValid) throw invalidInput(name, type, value);
  return value;
}

/** Members of a typed value, by ADK's names. */
const TYPED: { readonly [name: string]: string } = {
  bool_value: 'boolValue',
  double_value: 'doubleValue',
  string_value: 'stringValue',
  timestamp_value: 'timestampValue',
};

/**
 * Returns a value in the service's typed form. An object that is a typed value, such as `{ timestamp_value }`, keeps its
 * type.
 */
function toTypedValue(value: Json): JsonObject {
  const [member, ...others] = isPlainObject(value) ? Object.entries(value) : [];
  const name = member && Object.entries(TYPED).find((each) => each.includes(member[0]))?.[1];
  if (member && name !== undefined && others.length === 0) return { [name]: member[1] };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { doubleValue: value };
  return { stringValue: typeof value === 'string' ? value : JSON.stringify(value) };
}
