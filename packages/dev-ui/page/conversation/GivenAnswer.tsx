import type { FunctionResponse } from '@thole/core';
import { useState } from 'preact/hooks';
import { JsonTree } from '../inspector/JsonTree.tsx';
import { Icon } from '../components/icons.tsx';
import { ResponseParts } from './ResponseParts.tsx';

/** An answer to a call, if a person gave it or its call is missing. */
export function GivenAnswer({ response }: { response: FunctionResponse }) {
  const [open, setOpen] = useState(false);
  const confirmed = response.name === 'adk_request_confirmation' ? response.response['confirmed'] : undefined;
  const words = confirmed === undefined ? `Answer to ${response.name}` : confirmed === true ? 'Approved' : 'Declined';
  return (
    <>
      <details class="fold" open={open} onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
        <summary>
          <Icon name="right" size={12} />
          {words}
        </summary>
        {open && <JsonTree value={response.response} label="answer" open={2} />}
      </details>
      {response.parts && <ResponseParts parts={response.parts} name={response.name} />}
    </>
  );
}
