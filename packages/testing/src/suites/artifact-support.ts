import { encodeBase64 } from '@thole/core/kit';
import type { ArtifactRef, ArtifactService, Part } from '@thole/core';
import type { Case } from '../case.ts';
import { refTo } from './session-support.ts';

export type ArtifactCase = Case<ArtifactService>;

/** All 256 bytes as base64. */
export const everyByte: string = encodeBase64(Uint8Array.from({ length: 256 }, (_, i) => i));

/** Returns a reference to a file of the session that most cases use. */
export function file(filename = 'file.txt', sessionId = 's', userId = 'u', appName = 'app'): ArtifactRef {
  return { ...refTo(sessionId, userId, appName), filename };
}

/** Returns a part with one text. */
export function text(value: string): Part {
  return { text: value };
}
