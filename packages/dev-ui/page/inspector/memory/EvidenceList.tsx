import { ErrorNote } from '../../components/ErrorNote.tsx';
import { formatMoment } from '../../components/format.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useResource } from '../../components/use-resource.ts';
import { client } from '../../state/client.ts';
import type { MemoryActions } from './memory-actions.ts';
import { memoryText } from './memory-text.ts';
import { readEvidence } from './read-evidence.ts';
import type { Evidence } from './read-evidence.ts';
import { Source } from './Source.tsx';

/** The evidence of a fact, with links to the turns in their sessions. */
export function EvidenceList({ ids, actions }: { ids: readonly string[]; actions: MemoryActions }) {
  const { user, known } = actions;
  const { value, error } = useResource(JSON.stringify([user.appName, user.userId, ids]), (signal) =>
    readEvidence(client.memory, { ...user, ids, known, signal }),
  );
  if (error !== undefined) return <ErrorNote error={error} />;
  if (!value) return <Skeleton lines={ids.length} />;
  return (
    <ul class="memory-behind" aria-label="Evidence">
      {value.map((evidence) => (
        <OneEvidence key={evidence.id} evidence={evidence} />
      ))}
    </ul>
  );
}

function OneEvidence({ evidence: { id, entry } }: { evidence: Evidence }) {
  if (!entry)
    return (
      <li class="muted" title={id}>
        This evidence is not in memory any more.
      </li>
    );
  return (
    <li>
      <q class="memory-quote">{memoryText(entry)}</q>
      <p class="muted memory-meta">
        {entry.author !== undefined && <span>{entry.author}</span>}
        {entry.timestamp !== undefined && <span>{formatMoment(entry.timestamp)}</span>}
        <Source memory={entry} />
      </p>
    </li>
  );
}
