import { render } from 'preact';
import './theme.css';
import './base.css';
import './components/components.css';
import { App } from './frame/App.tsx';
import { start } from './frame/start.ts';

start();
render(<App />, document.getElementById('page')!);
