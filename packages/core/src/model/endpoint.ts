import type { Content, Part } from '../content/content.ts';
import { TholeError } from '../errors/thole-error.ts';

/**
 * The server that runs a model. Only this server can read its encrypted reasoning (encrypted content, thought signatures). So
 * parts with encrypted reasoning have the endpoint's name in `partMetadata.provider`.
 */
export interface Endpoint {
  /** Provider and host, such as `azure:hotel.openai.azure.com`. At the default host, only the provider. */
  readonly name: string;
  /** Earlier names of the same endpoint, for parts stored under them. */
  readonly earlierNames?: readonly string[] | undefined;
}

/** True if this endpoint made the part, so that its encrypted reasoning may be sent back. */
export function isFromEndpoint(part: Part, endpoint: Endpoint): boolean {
  const provider: unknown = part.partMetadata?.provider;
  if (typeof provider !== 'string') return false;
  return provider === endpoint.name || (endpoint.earlierNames?.includes(provider) ?? false);
}

/** True if the contents have a part of this endpoint, which may contain encrypted reasoning. */
export function mayHaveEncryptedReasoning(contents: readonly Content[], endpoint: Endpoint): boolean {
  return contents.some(({ parts = [] }) => parts.some((part) => isFromEndpoint(part, endpoint)));
}

/**
 * Returns the contents without thoughts, signatures and provider data, so that any endpoint can read them. Used for one more
 * attempt after an error for which `isReasoningRejected` is true.
 */
export function withoutEncryptedReasoning(contents: readonly Content[]): Content[] {
  return contents.map((content) => {
    if (!content.parts) return content;
    const parts = content.parts.filter((part) => !part.thought).map(withoutSignature);
    return { ...content, parts };
  });
}

function withoutSignature(part: Part): Part {
  const copy = { ...part };
  delete copy.thoughtSignature;
  delete copy.partMetadata;
  return copy;
}

/**
 * True if the endpoint cannot read encrypted reasoning in the history, because it was made by another endpoint or with another
 * key.
 */
export function isReasoningRejected(error: unknown): boolean {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return false;
  const code = error.details?.['code'];
  if (typeof code === 'string' && /invalid_encrypted_content|invalid_signature/i.test(code)) return true;
  return ENCRYPTED.test(error.message) && UNREADABLE.test(error.message);
}

const ENCRYPTED =
  /encrypted[ _]content|encrypted reasoning|thought[ _]?signature|`?thinking`? block|reasoning.{0,40}signature/i;
const UNREADABLE =
  /invalid|not valid|corrupt|could not be (verified|decrypted|parsed|read)|cannot be (verified|decrypted)|fail|mismatch|unable|unrecogni[sz]ed|malformed/i;
