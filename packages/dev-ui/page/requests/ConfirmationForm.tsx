import type { Json } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';
import { useId } from 'preact/hooks';
import { inexactJson, readJson } from '../components/read-json.ts';
import { openApp } from '../state/apps.ts';
import { isRunning } from '../state/run.ts';
import { JsonField } from './JsonField.tsx';
import { Problem } from './Problem.tsx';
import { changeDraft, draftOf, writeField } from './request-drafts.ts';
import { objectOf, shownArguments, shownData } from './request-state.ts';
import { submitAnswer } from './send-answers.ts';

/** The form of a confirmation. Arguments can be edited if the tool allows it, data of the tool always. */
export function ConfirmationForm({ recorded }: { recorded: RecordedInterrupt }) {
  const { id } = recorded.interrupt;
  const { problems, values } = draftOf(id);
  const field = useId();
  const blocked = isRunning.value;
  const data = shownData(recorded);
  const editable = [
    ...(isEditable(recorded)
      ? [{ name: 'arguments', label: 'Arguments', value: shownArguments(recorded) as Json }]
      : []),
    ...(data === undefined ? [] : [{ name: 'data', label: 'Data', value: data }]),
  ];
  const isEditing = editable.some(({ name }) => values[name] !== undefined);
  function approve(submitted: SubmitEvent): void {
    submitted.preventDefault();
    const edits = editable.map(({ name, value }) => ({ name, value, edited: readEdit(values[name], value) }));
    const wrong = edits.find(({ name, edited }) => edited === undefined || (name === 'arguments' && !objectOf(edited)));
    if (wrong) {
      const problem = wrong.name === 'arguments' ? 'Enter a JSON object.' : 'Enter valid JSON.';
      return changeDraft(id, { problems: { [wrong.name]: problem } });
    }
    const inexact = editable.find(({ name }) => typeof values[name] === 'string' && !readJson(values[name]).isExact);
    if (inexact) return changeDraft(id, { problems: { [inexact.name]: inexactJson } });
    const changed = edits.filter(({ edited, value }) => JSON.stringify(edited) !== JSON.stringify(value));
    const members = changed.map(({ name, edited }) => [name === 'arguments' ? 'editedArguments' : 'payload', edited!]);
    void submitAnswer(recorded, { confirmed: true, ...Object.fromEntries(members) });
  }
  return (
    <form class="request-form" onSubmit={approve}>
      {editable.map(
        ({ name, label }) =>
          values[name] !== undefined && (
            <JsonField
              key={name}
              id={`${field}-${name}`}
              label={label}
              text={String(values[name])}
              onText={(next) => writeField(id, name, next)}
              problem={problems[name]}
              isFocused
            />
          ),
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
          onClick={() => void submitAnswer(recorded, { confirmed: false })}
        >
          Reject
        </button>
        {editable.map(
          ({ name, label, value }) =>
            values[name] === undefined && (
              <button
                key={name}
                type="button"
                class="button button-quiet"
                onClick={() => writeField(id, name, JSON.stringify(value, undefined, 2))}
              >
                Edit {label.toLowerCase()}
              </button>
            ),
        )}
        {isEditing && (
          <button
            type="button"
            class="button button-quiet"
            onClick={() => changeDraft(id, { values: {}, problems: {} })}
          >
            Discard edits
          </button>
        )}
      </div>
    </form>
  );
}

/** Returns the edited value, the given value if it was not edited, or undefined for text that is not JSON. */
function readEdit(text: string | boolean | undefined, value: Json): Json | undefined {
  if (typeof text !== 'string') return value;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isEditable({ interrupt: { agentName, toolName } }: RecordedInterrupt): boolean {
  const tools = openApp()?.agents[agentName]?.tools ?? [];
  return tools.some((tool) => tool.name === toolName && tool.allowEditedArguments === true);
}
