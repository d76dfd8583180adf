import { formatBytes } from '../components/format.ts';
import { draft, writeDraft } from '../state/drafts.ts';
import { toast } from '../state/toast.ts';
import { MAX_FILE_BYTES, toPart } from './file-parts.ts';

/** Adds files to the draft one by one. Reports files that are too large or unreadable. */
export async function attachFiles(files: readonly File[]): Promise<void> {
  for (const file of files) {
    if (file.size > MAX_FILE_BYTES) {
      const sizes = `${formatBytes(file.size)}; the limit is ${formatBytes(MAX_FILE_BYTES)}`;
      toast(`${file.name} is ${sizes}.`, { kind: 'bad' });
      continue;
    }
    try {
      const part = await toPart(file);
      writeDraft({ files: [...draft.peek().files, part] });
    } catch {
      toast(`${file.name} could not be read.`, { kind: 'bad' });
    }
  }
}
