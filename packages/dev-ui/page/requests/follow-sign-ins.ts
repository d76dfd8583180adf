import { openRequests } from '../state/requests.ts';
import { submitAnswer } from './send-answers.ts';
import { redirectAnswer, signInState } from './sign-in.ts';

const CHANNEL = 'thole:sign-in';

/** Answers the request of a sign-in when its window returns to this page. */
export function followSignIns(): void {
  new BroadcastChannel(CHANNEL).onmessage = ({ data }) => {
    const state = typeof data === 'string' ? URL.parse(data)?.searchParams.get('state') : undefined;
    if (!state) return;
    const recorded = openRequests
      .peek()
      .find(({ interrupt }) => interrupt.kind === 'credential' && signInState(interrupt.payload) === state);
    if (recorded) void submitAnswer(recorded, redirectAnswer(recorded.interrupt.payload, data as string));
  };
}

/** True if this window is the end of a sign-in. Then also sends its address to the page with the request. */
export function isSignInEnd(): boolean {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has('state') || !(parameters.has('code') || parameters.has('error'))) return false;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(location.href);
  channel.close();
  return true;
}
