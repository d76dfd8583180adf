import type { DynamicToolUIPart } from 'ai';
import { escapeHidden } from './escape-hidden.ts';

/** A call of a tool, with the buttons of its approval. */
export function ToolCall(p: { part: DynamicToolUIPart; onApproval: (id: string, approved: boolean) => void }) {
  const { part } = p;
  if (part.state === 'approval-requested') {
    const { id } = part.approval;
    return (
      <fieldset>
        <legend>Approve {part.toolName}?</legend>
        <pre>{escapeHidden(JSON.stringify(part.input ?? {}, null, 2))}</pre>
        <button type="button" onClick={() => p.onApproval(id, true)}>
          Approve
        </button>{' '}
        <button type="button" onClick={() => p.onApproval(id, false)}>
          Reject
        </button>
      </fieldset>
    );
  }
  return (
    <details>
      <summary>
        {part.toolName}: {describeState(part)}
      </summary>
      <pre>{JSON.stringify({ input: part.input, output: part.errorText ?? part.output }, null, 2)}</pre>
    </details>
  );
}

function describeState(part: DynamicToolUIPart): string {
  switch (part.state) {
    case 'output-available':
      return part.preliminary ? 'running' : 'done';
    case 'output-error':
      return 'failed';
    case 'output-denied':
      return 'rejected';
    default:
      return 'running';
  }
}
