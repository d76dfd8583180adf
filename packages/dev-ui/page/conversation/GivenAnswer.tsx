import type { FunctionResponse } from '@thole/core';
import { requestKindOf } from '@thole/core/kit';
import { JsonTree } from '../inspector/JsonTree.tsx';
import { Icon } from '../components/icons.tsx';
import type { Fold } from './open-folds.ts';
import { ResponseParts } from './ResponseParts.tsx';

/** An answer to a call that a person gave, or whose call is missing. */
export function GivenAnswer({ response, fold }: { response: FunctionResponse; fold: Fold }) {
  const [open, setOpen] = fold;
  const label = labelOf(response);
  return (
    <>
      <details class="fold" open={open} onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
        <summary>
          <Icon name="right" size={12} />
          {label}
        </summary>
        {open && <JsonTree value={response.response} label="answer" open={2} />}
      </details>
      {response.parts && <ResponseParts parts={response.parts} name={response.name} />}
    </>
  );
}

function labelOf({ name, response }: FunctionResponse): string {
  switch (requestKindOf(name)) {
    case 'confirmation':
      return response['confirmed'] === true ? 'Approved' : 'Rejected';
    case 'input':
      return 'Answered';
    case 'credential':
      return response['status'] === 'denied' || response['error'] !== undefined ? 'Sign-in rejected' : 'Signed in';
    default:
      return `Answer to ${name}`;
  }
}
