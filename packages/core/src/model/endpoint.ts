import type { Content, Part } from '../content/content.ts';
import { TholeError } from '../errors/thole-error.ts';

/**
 * The server that runs a model. Only this server can read its sealed reasoning (encrypted content, thought signatures). So
 * parts with sealed reasoning have the endpoint's name in `partMetadata.provider`.
 */
export interface Endpoint {
  /** Provider and host, such as `azure:hotel.openai.azure.com`. At the default host, only the provider. */
  readonly name: string;
  /** Earlier names of the same endpoint, for parts stored under them. */
  readonly earlierNames?: readonly string[] | undefined;
}

/** True if this endpoint made the part, so that its sealed data may be sent back. */
export function isFromEndpoint(part: Part, endpoint: Endpoint): boolean {
  const provider: unknown = part.partMetadata?.provider;
  if (typeof provider !== 'string') return false;
  return provider === endpoint.name || (endpoint.earlierNames?.includes(provider) ?? false);
}

/** True if the contents have a part of this endpoint, which may contain sealed data. */
export function hasSealedParts(contents: readonly Content[], endpoint: Endpoint): boolean {
  return contents.some(({ parts = [] }) => parts.some((part) => isFromEndpoint(part, endpoint)));
}

/**
 * Returns the contents without thoughts, signatures and provider data, so that any endpoint can read them. Used for one more
 * attempt after an error for which `isSealRefused` is true.
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

/**
 * True if the endpoint cannot read sealed reasoning in the history, because it was made by another endpoint or with another
 * key.
 */
export function isSealRefused(error: unknown): boolean {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return false;
  const code = error.details?.['code'];
  if (typeof code === 'string' && /invalid_encrypted_content|invalid_signature/i.test(code)) return true;
  return SEAL.test(error.message) && UNREADABLE.test(error.message);
}

const SEAL =
  /encrypted[ _]content|encrypted reasoning|thought[ _]?signature|`?thinking`? block|reasoning.{0,40}signature/i;
const UNREADABLE =
  /invalid|not valid|corrupt|could not be (verified|decrypted|parsed|read)|cannot be (verified|decrypted)|fail|mismatch|unable|unrecogni[sz]ed|malformed/i;
