import type { Json } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';
import { JsonTree } from '../inspector/JsonTree.tsx';
import { ConfirmationForm } from './ConfirmationForm.tsx';
import { ReadyAnswer } from './ReadyAnswer.tsx';
import { draftOf } from './request-drafts.ts';
import { objectOf, shownArguments, shownData } from './request-state.ts';

/** A tool call to approve or to reject: its arguments, and data that the tool added. */
export function Confirmation({ recorded, isOpen }: { recorded: RecordedInterrupt; isOpen: boolean }) {
  const { interrupt, answer } = recorded;
  const { answer: ready, values } = draftOf(interrupt.id);
  const given = objectOf(ready?.value ?? answer?.response.response);
  const isEdited = (name: string): boolean => isOpen && !ready && values[name] !== undefined;
  const data = given?.['payload'] ?? shownData(recorded);
  const levels = isOpen ? 3 : 0;
  return (
    <>
      {!isEdited('arguments') && (
        <JsonTree
          value={objectOf(given?.['editedArguments']) ?? shownArguments(recorded)}
          label="arguments"
          open={levels}
        />
      )}
      {data !== undefined && !isEdited('data') && <JsonTree value={data} label="data" open={levels} />}
      {isOpen && ready && <ReadyAnswer recorded={recorded} text={describeAnswer(ready.value)} />}
      {isOpen && !ready && <ConfirmationForm recorded={recorded} />}
    </>
  );
}

function describeAnswer(value: Json): string {
  const answer = objectOf(value);
  if (answer?.['confirmed'] !== true) return 'Will be rejected.';
  return answer['editedArguments'] === undefined ? 'Will be approved.' : 'Will be approved with edited arguments.';
}
