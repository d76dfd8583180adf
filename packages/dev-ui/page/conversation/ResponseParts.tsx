import type { FunctionResponsePart } from '@thole/core';
import { FileView } from './FileView.tsx';

/** The images, audio and files of a tool's answer. */
export function ResponseParts({ parts, name }: { parts: readonly FunctionResponsePart[]; name: string }) {
  if (parts.length === 0) return null;
  return (
    <ul class="response-parts" aria-label={`Files from ${name}`}>
      {parts.map((part, i) => (
        <li key={i}>
          <FileView part={part} />
        </li>
      ))}
    </ul>
  );
}
