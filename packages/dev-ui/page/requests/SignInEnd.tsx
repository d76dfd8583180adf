import './requests.css';
import { Empty } from '../components/Empty.tsx';

/** The page in the window of a sign-in that has ended. */
export function SignInEnd() {
  return (
    <main class="sign-in-end">
      <Empty
        title="The sign-in has ended"
        text="Close this window. If the session does not continue, copy the address of this window into its request."
      />
    </main>
  );
}
