import type { Content, Part } from '../content/content.ts';
import { TholeError } from '../errors/thole-error.ts';

/**
 * Where a model runs. Sealed reasoning (encrypted content, thought signatures) can be read there only, so parts that hold it bear
 * the endpoint's name in `partMetadata.provider`.
 */
export interface Endpoint {
  /** Provider and host, such as `azure:hotel.openai.azure.com`; the provider alone at its default host. */
  readonly name: string;
  /** Older names of the same endpoint, for parts that were stored under them. */
  readonly earlierNames?: readonly string[] | undefined;
}

/** True if this endpoint made the part, so that what is sealed in it may be sent back. */
export function isFromEndpoint(part: Part, endpoint: Endpoint): boolean {
  const provider: unknown = part.partMetadata?.provider;
  if (typeof provider !== 'string') return false;
  return provider === endpoint.name || (endpoint.earlierNames?.includes(provider) ?? false);
}

/** True if any part of the contents was made by this endpoint and may hold something sealed. */
export function hasSealedParts(contents: readonly Content[], endpoint: Endpoint): boolean {
  return contents.some(({ parts = [] }) => parts.some((part) => isFromEndpoint(part, endpoint)));
}

/**
 * Returns the contents without thoughts, signatures and provider marks: what any endpoint understands. For the one further
 * attempt after `isSealRefused`.
 */
export function withoutSealedParts(contents: readonly Content[]): Content[] {
  return contents.map((content) => {
    if (!content.parts) return content;
    const parts = content.parts.filter((part) => !part.thought).map(withoutSeal);
    return { ...content, parts };
  });
}

function withoutSeal(part: Part): Part {
  const copy = { ...part };
  delete copy.thoughtSignature;
  delete copy.partMetadata;
  return copy;
}

/** True if the error says that the endpoint cannot read sealed reasoning of the history: another endpoint or key made it. */
export function isSealRefused(error: unknown): boolean {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return false;
  const code = error.details?.['code'];
  if (typeof code === 'string' && /invalid_encrypted_content|invalid_signature/i.test(code)) return true;
  return SEAL.test(error.message) && UNREADABLE.test(error.message);
}

const SEAL = /encrypted[ _]content|encrypted reasoning|thought[ _]?signature|thinking block|reasoning.{0,40}signature/i;
const UNREADABLE =
  /invalid|not valid|corrupt|could not be (verified|decrypted|parsed|read)|cannot be (verified|decrypted)|fail|mismatch|unable|unrecogni[sz]ed|malformed/i;
