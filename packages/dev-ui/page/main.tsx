import { render } from 'preact';
import './theme.css';
import './base.css';
import './components/components.css';
import { App } from './frame/App.tsx';
import { start } from './frame/start.ts';
import { isSignInEnd } from './requests/follow-sign-ins.ts';
import { SignInEnd } from './requests/SignInEnd.tsx';
import { applyTheme } from './state/theme.ts';

const page = document.getElementById('page')!;
if (isSignInEnd()) {
  applyTheme();
  render(<SignInEnd />, page);
} else {
  start();
  render(<App />, page);
}
