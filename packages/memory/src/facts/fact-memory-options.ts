import { TholeError } from '@thole/core';
import { assertCount, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { LeaseManager, Llm, MemoryService, Runtime, TimeZoneOption } from '@thole/core';
import { requireMemory } from '../require-memory.ts';
import type { FactExtractor } from './fact-extractor.ts';

/** Options of `FactMemoryService`. */
export interface FactMemoryServiceOptions {
  /** Stores and searches turns, facts and notes: any memory service with all optional methods. */
  memory: MemoryService;
  /** The model that finds facts, through an `LlmFactExtractor`. Required unless `extractor` is given. */
  llm?: Llm | undefined;
  /** Instructions for the model about what to remember. Default: `EXTRACTION_INSTRUCTIONS`. */
  instructions?: string | undefined;
  /** A custom extractor, used instead of `llm`. */
  extractor?: FactExtractor | undefined;
  /**
   * False stores facts and notes only: the extractor receives the texts of turns, but they are not stored. A placeholder without text
   * is stored for each turn, so that its facts are extracted once and are deleted with its session. Default: true.
   */
  keepTurns?: boolean | undefined;
  /** `user`: the evidence of a fact must include a turn of the user. `anyone`: turns of agents are enough. Default: `user`. */
  evidenceFrom?: 'user' | 'anyone' | undefined;
  /** True to extract facts in `addEventsToMemory` too, and not only in `addSessionToMemory`. Default: false. */
  extractFromEvents?: boolean | undefined;
  /** Approximate number of tokens of new turns in one call of the extractor. Default: 4,000. */
  batchTokens?: number | undefined;
  /** Approximate number of tokens of earlier turns in one call, as context. Default: 1,000. */
  contextTokens?: number | undefined;
  /** Maximum number of known facts in one call, the most similar ones. Default: 30. */
  knownFacts?: number | undefined;
  /** Time limit of one call of the model in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** The time zone of times in the extractor's request and answer. Default: UTC. */
  timeZone?: TimeZoneOption | undefined;
  /**
   * The `leasing` of a session service, so that only one process at a time extracts facts of a user. Default: none; only calls of the
   * same process wait for each other.
   */
  leasing?: LeaseManager | undefined;
  runtime?: Runtime | undefined;
}

const factMemoryOptionNames = optionNames<FactMemoryServiceOptions>({
  memory: true,
  llm: true,
  instructions: true,
  extractor: true,
  keepTurns: true,
  evidenceFrom: true,
  extractFromEvents: true,
  batchTokens: true,
  contextTokens: true,
  knownFacts: true,
  timeoutMs: true,
  timeZone: true,
  leasing: true,
  runtime: true,
});

/** Throws `INVALID_INPUT` for invalid options, and `MEMORY_NOT_CONFIGURED` if the memory service lacks an optional method. */
export function assertFactMemoryOptions(options: FactMemoryServiceOptions): void {
  rejectUnknownOptions(options, factMemoryOptionNames, 'FactMemoryService');
  const { memory, llm, instructions, extractor, keepTurns, evidenceFrom } = options;
  requireMemory(memory, 'FactMemoryService');
  if ((llm === undefined) === (extractor === undefined))
    throw new TholeError('INVALID_INPUT', 'FactMemoryService needs either llm or extractor, but not both.');
  if (extractor !== undefined && typeof extractor?.extract !== 'function')
    throw invalidInput('extractor', 'a FactExtractor', extractor);
  if (extractor && instructions !== undefined)
    throw new TholeError('INVALID_INPUT', 'instructions are only for llm. Remove instructions or extractor.');
  if (evidenceFrom !== undefined && evidenceFrom !== 'user' && evidenceFrom !== 'anyone')
    throw new TholeError('INVALID_INPUT', `evidenceFrom must be 'user' or 'anyone'.`);
  for (const name of ['keepTurns', 'extractFromEvents'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw invalidInput(name, 'a boolean', options[name]);
  if (keepTurns === false && (memory as { redacts?: unknown }).redacts === true)
    throw new TholeError(
      'INVALID_INPUT',
      'With keepTurns: false the extractor would read texts before they are redacted. Wrap the FactMemoryService in a RedactingMemoryService instead.',
    );
  for (const name of ['batchTokens', 'contextTokens', 'knownFacts'] as const)
    if (options[name] !== undefined) assertCount(name, options[name], name === 'batchTokens' ? 1 : 0);
}
