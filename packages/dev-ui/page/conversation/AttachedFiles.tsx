import type { Part } from '@thole/core';
import { IconButton } from '../components/IconButton.tsx';
import { FileView } from './FileView.tsx';

/** The files of the draft, shown before they are sent. */
export function AttachedFiles({ files, remove }: { files: readonly Part[]; remove: (part: Part) => void }) {
  if (files.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attached files">
      {files.map((part, i) => (
        <li key={i}>
          <FileView part={part} />
          <IconButton
            label={`Remove ${part.inlineData?.displayName ?? 'file'}`}
            icon="close"
            onClick={() => remove(part)}
          />
        </li>
      ))}
    </ul>
  );
}
