import type { Json } from '@thole/core';
import { useId } from 'preact/hooks';
import { JsonField } from './JsonField.tsx';
import { Problem } from './Problem.tsx';
import { initialValue } from './read-fields.ts';
import type { FieldProblems, FieldValues } from './read-fields.ts';
import type { SchemaField } from './schema-field.ts';

interface Props {
  field: SchemaField;
  values: FieldValues;
  problems: FieldProblems;
  write: (path: string, value: string | boolean) => void;
}

/** The fields of a form for a schema. */
export function SchemaFields({ field, ...rest }: Props) {
  if (field.kind !== 'group') return <OneField field={field} {...rest} />;
  const inner = field.fields!.map((each) => <SchemaFields key={each.path} field={each} {...rest} />);
  if (field.path === '') return <>{inner}</>;
  return (
    <fieldset class="request-group">
      <legend>{field.label}</legend>
      {field.description && <small class="muted">{field.description}</small>}
      {inner}
      <Problem text={rest.problems[field.path]} />
    </fieldset>
  );
}

function OneField({ field, values, problems, write }: Props) {
  const id = useId();
  const { description, kind, path } = field;
  const value = values[path] ?? initialValue(field);
  const problem = problems[path];
  const label = field.isRequired ? field.label : `${field.label} (optional)`;
  const text = String(value);
  const common = { id, 'aria-invalid': problem !== undefined, 'aria-describedby': `${id}-problem` };
  if (kind === 'json')
    return <JsonField {...{ id, label, text, problem, description }} onText={(next) => write(path, next)} />;
  if (kind === 'boolean') {
    return (
      <div class="request-field">
        <label class="request-check">
          <input
            type="checkbox"
            {...common}
            checked={value === true}
            onChange={(change) => write(path, change.currentTarget.checked)}
          />
          {field.label}
        </label>
        {description && <small class="muted">{description}</small>}
        <Problem id={`${id}-problem`} text={problem} />
      </div>
    );
  }
  return (
    <div class="request-field">
      <label for={id}>{label}</label>
      {description && <small class="muted">{description}</small>}
      {kind === 'choice' ? (
        <select class="field" {...common} value={text} onChange={(change) => write(path, change.currentTarget.value)}>
          <option value="">Choose …</option>
          {field.choices!.map((choice, i) => (
            <option key={i} value={String(i)}>
              {wordFor(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="field"
          {...common}
          type="text"
          inputMode={kind === 'number' ? 'decimal' : undefined}
          autoComplete="off"
          dir="auto"
          value={text}
          onInput={(input) => write(path, input.currentTarget.value)}
        />
      )}
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

function wordFor(choice: Json): string {
  if (typeof choice === 'string') return choice;
  return choice === true ? 'Yes' : choice === false ? 'No' : JSON.stringify(choice);
}
