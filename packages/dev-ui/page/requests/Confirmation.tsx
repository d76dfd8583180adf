import type { Json, JsonObject } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';
import { useId } from 'preact/hooks';
import { JsonTree } from '../inspector/JsonTree.tsx';
import { openApp } from '../state/apps.ts';
import { isRunning } from '../state/run.ts';
import { JsonField } from './JsonField.tsx';
import { changeDraft, draftOf, writeField } from './request-drafts.ts';
import { objectOf, shownArguments } from './request-state.ts';
import { Problem } from './Problem.tsx';
import { giveAnswer } from './send-answers.ts';
import { ReadyAnswer } from './ReadyAnswer.tsx';

/** The tool call to approve or to reject: its arguments, which can be edited if the tool allows it. */
export function Confirmation({ recorded, isOpen }: { recorded: RecordedInterrupt; isOpen: boolean }) {
  const { interrupt, answer } = recorded;
  const draft = draftOf(interrupt.id);
  const shown = shownArguments(recorded);
  const given = draft.answer?.value ?? answer?.response.response;
  const approved = objectOf(objectOf(given)?.['editedArguments']) ?? shown;
  const payload = objectOf(interrupt.payload)?.['arguments'] === undefined ? interrupt.payload : undefined;
  const isEditing = isOpen && draft.isEditing && !draft.answer;
  return (
    <>
      {!isEditing && <JsonTree value={approved} label="arguments" open={isOpen ? 3 : 0} />}
      {payload !== undefined && <JsonTree value={payload} label="data" open={isOpen ? 3 : 0} />}
      {isOpen &&
        (draft.answer ? (
          <ReadyAnswer recorded={recorded} words={wordsFor(draft.answer.value)} />
        ) : (
          <Choice recorded={recorded} shown={shown} />
        ))}
    </>
  );
}

function Choice({ recorded, shown }: { recorded: RecordedInterrupt; shown: JsonObject }) {
  const { id } = recorded.interrupt;
  const { isEditing, problems, values } = draftOf(id);
  const field = useId();
  const blocked = isRunning.value;
  const text = values['arguments'];
  function approve(): void {
    const edited = isEditing && typeof text === 'string' ? readArguments(text) : shown;
    if (!edited) return changeDraft(id, { problems: { arguments: 'Enter a JSON object.' } });
    const isChanged = JSON.stringify(edited) !== JSON.stringify(shown);
    void giveAnswer(recorded, { confirmed: true, ...(isChanged && { editedArguments: edited }) });
  }
  return (
    <form
      class="request-form"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        approve();
      }}
    >
      {isEditing && (
        <JsonField
          id={field}
          label="Arguments"
          text={typeof text === 'string' ? text : JSON.stringify(shown, undefined, 2)}
          onText={(next) => writeField(id, 'arguments', next)}
          problem={problems['arguments']}
          isFocused
        />
      )}
      <Problem text={problems['']} />
      <div class="button-row">
        <button type="submit" class="button button-primary" disabled={blocked}>
          Approve
        </button>
        <button
          type="button"
          class="button"
          disabled={blocked}
          onClick={() => void giveAnswer(recorded, { confirmed: false })}
        >
          Reject
        </button>
        {isEditing ? (
          <button type="button" class="button button-quiet" onClick={() => dropEdits(id)}>
            Discard edits
          </button>
        ) : (
          isEditable(recorded) && (
            <button type="button" class="button button-quiet" onClick={() => changeDraft(id, { isEditing: true })}>
              Edit arguments
            </button>
          )
        )}
      </div>
    </form>
  );
}

function dropEdits(id: string): void {
  const { arguments: _, ...values } = draftOf(id).values;
  changeDraft(id, { isEditing: false, values, problems: {} });
}

function isEditable({ interrupt: { agentName, toolName } }: RecordedInterrupt): boolean {
  const tools = openApp()?.agents[agentName]?.tools ?? [];
  return tools.some((tool) => tool.name === toolName && tool.allowEditedArguments === true);
}

function readArguments(text: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

function wordsFor(value: Json): string {
  const answer = objectOf(value);
  if (answer?.['confirmed'] !== true) return 'Will be rejected.';
  return answer['editedArguments'] === undefined ? 'Will be approved.' : 'Will be approved with edited arguments.';
}
