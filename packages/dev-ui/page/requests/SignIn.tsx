import type { JsonObject } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';
import type { TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';
import { isRunning } from '../state/run.ts';
import { Problem } from './Problem.tsx';
import { ReadyAnswer } from './ReadyAnswer.tsx';
import { changeDraft, draftOf, writeField } from './request-drafts.ts';
import { submitAnswer } from './send-answers.ts';
import { enteredCredential, readSignIn, redirectAnswer } from './sign-in.ts';

/** A form for a sign-in: a link to the authorization server, or fields for an API key, a token or a password. */
export function SignIn({ recorded }: { recorded: RecordedInterrupt }) {
  const { id, payload } = recorded.interrupt;
  const { answer, problems, values } = draftOf(id);
  const { address, fields, redirectUri } = readSignIn(payload);
  const blocked = isRunning.value;
  if (answer) return <ReadyAnswer recorded={recorded} text="The answer of the sign-in is ready." />;
  const textOf = (name: string): string => String(values[name] ?? '');
  function submit(submitted: SubmitEvent): void {
    submitted.preventDefault();
    const missing = fields.find(({ name }) => textOf(name).trim() === '');
    if (missing) return changeDraft(id, { problems: { [missing.name]: 'Enter a value.' } });
    const given: JsonObject = Object.fromEntries(fields.map(({ name }) => [name, textOf(name).trim()]));
    const value =
      address === undefined ? enteredCredential(payload, given) : redirectAnswer(payload, textOf('address').trim());
    void submitAnswer(recorded, value);
  }
  return (
    <form class="request-form" noValidate onSubmit={submit}>
      {address !== undefined && (
        <>
          <p>
            <a class="button button-primary" href={address} target="_blank" rel="noopener noreferrer">
              Open sign-in
            </a>
          </p>
          <p class="muted">
            The sign-in ends at <code class="mono">{redirectUri}</code>. If the page does not continue, copy the address
            of that window into this field.
          </p>
        </>
      )}
      {fields.map((field) => (
        <TextField
          key={field.name}
          {...field}
          value={textOf(field.name)}
          problem={problems[field.name]}
          write={(text) => writeField(id, field.name, text)}
        />
      ))}
      <Problem text={problems['']} />
      <div class="button-row">
        <button type="submit" class={address === undefined ? 'button button-primary' : 'button'} disabled={blocked}>
          {address === undefined ? 'Sign in' : 'Finish sign-in'}
        </button>
        <button
          type="button"
          class="button"
          disabled={blocked}
          onClick={() => void submitAnswer(recorded, { error: 'access_denied' })}
        >
          Reject
        </button>
      </div>
    </form>
  );
}

function TextField(p: {
  label: string;
  isSecret: boolean;
  value: string;
  problem: string | undefined;
  write: (text: string) => void;
}) {
  const id = useId();
  const common = {
    id,
    class: 'field',
    autoComplete: 'off',
    value: p.value,
    'aria-invalid': p.problem !== undefined,
    'aria-describedby': `${id}-problem`,
    onInput: (input: TargetedInputEvent<HTMLInputElement>) => p.write(input.currentTarget.value),
  };
  return (
    <div class="request-field">
      <label for={id}>{p.label}</label>
      {p.isSecret ? <input {...common} type="password" /> : <input {...common} type="text" />}
      <Problem id={`${id}-problem`} text={p.problem} />
    </div>
  );
}
