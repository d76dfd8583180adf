import type { RecordedInterrupt } from '@thole/core/kit';
import { useMemo } from 'preact/hooks';
import { readAnswer } from '../conversation/read-answer.ts';
import { isRunning } from '../state/run.ts';
import { Problem } from './Problem.tsx';
import { ReadyAnswer } from './ReadyAnswer.tsx';
import { readFields } from './read-fields.ts';
import { changeDraft, draftOf, writeField } from './request-drafts.ts';
import { fieldsOf, toSchemaField } from './schema-field.ts';
import { SchemaFields } from './SchemaFields.tsx';
import { submitAnswer } from './send-answers.ts';

/** A form for the schema of a request for input. Without a schema: a field for a text or JSON. */
export function InputForm({ recorded }: { recorded: RecordedInterrupt }) {
  const { id, responseSchema } = recorded.interrupt;
  const { answer, problems, values } = draftOf(id);
  const field = useMemo(() => toSchemaField(responseSchema ?? { type: 'string' }, { label: 'Answer' }), [id]);
  if (answer) return <ReadyAnswer recorded={recorded} text={`Answer: ${JSON.stringify(answer.value)}`} />;
  function submit(submitted: SubmitEvent): void {
    submitted.preventDefault();
    const read = readFields(field, values);
    if (Object.keys(read.problems).length > 0) return changeDraft(id, { problems: read.problems });
    const value = read.value ?? null;
    const paths = fieldsOf(field).map(({ path }) => path);
    void submitAnswer(recorded, !responseSchema && typeof value === 'string' ? parseText(value) : value, paths);
  }
  return (
    <form class="request-form" noValidate onSubmit={submit}>
      <SchemaFields
        field={field}
        values={values}
        problems={problems}
        write={(path, value) => writeField(id, path, value)}
      />
      {field.kind === 'group' && <Problem text={problems['']} />}
      <div class="button-row">
        <button type="submit" class="button button-primary" disabled={isRunning.value}>
          Answer
        </button>
      </div>
    </form>
  );
}

/** Returns the value of a JSON text, and other text unchanged. */
function parseText(text: string): ReturnType<typeof readAnswer>[string] {
  const read = readAnswer(text);
  return Object.keys(read).length === 1 && 'result' in read ? read['result']! : read;
}
