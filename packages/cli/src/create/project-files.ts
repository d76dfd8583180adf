import { agentText } from './agent-text.ts';
import { demoLlmText } from './demo-llm-text.ts';
import { packageRanges } from './package-ranges.ts';

/** Whose model the project begins with. */
export type ModelChoice = { readonly provider: 'gemini' | 'openai' | 'demo'; readonly model: string };

/** Every file of a new project, by its path. */
export function projectFiles(name: string, choice: ModelChoice): { [path: string]: string } {
  const isDemo = choice.provider === 'demo';
  return {
    'package.json': manifestText(name, isDemo),
    'agent.ts': agentText(name, choice),
    ...(isDemo && { 'demo-llm.ts': demoLlmText }),
    'tsconfig.json': tsconfigText,
    '.env.example': envTexts[choice.provider],
    '.gitignore': 'node_modules/\n.env\n.thole/\n*.session.json\n',
    'README.md': readmeText(name, choice),
  };
}

function manifestText(name: string, isDemo: boolean): string {
  const names = [...(isDemo ? ['@thole/core'] : []), '@thole/runner', '@thole/tools'];
  const manifest = {
    name: name.toLowerCase(),
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { start: 'thole web .', chat: 'thole run .', check: 'tsc' },
    ...packageRanges(['@thole/cli', ...names]),
    devDependencies: { '@types/node': '^26.6.6', typescript: '^7.0.2' },
    engines: { node: '^22.18 || ^24.11 || >=26' },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const tsconfigText = `{
  "compilerOptions": {
    "target": "es2024",
    "lib": ["es2024", "esnext.array", "esnext.iterator"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true
  },
  "include": ["*.ts"]
}
`;

const envTexts: { readonly [provider in ModelChoice['provider']]: string } = {
  gemini: '# Copy this file to .env. A key is made at https://aistudio.google.com/apikey\nGEMINI_API_KEY=\n',
  openai:
    '# Copy this file to .env. A key is made at https://platform.openai.com/api-keys\nOPENAI_API_KEY=\n# A compatible server instead of OpenAI:\n# OPENAI_BASE_URL=http://localhost:11434/v1\n',
  demo: '# Copy this file to .env where the agent needs variables. The demo model needs no key.\n',
};

function readmeText(name: string, { provider }: ModelChoice): string {
  const key =
    provider === 'demo'
      ? "The model is a demo of a few rules in `demo-llm.ts`. For a real one, write `model: 'gemini-3.8-flash'` or `model: 'gpt-5.5'` in `agent.ts` and put the key into `.env`."
      : 'Copy `.env.example` to `.env` and put your key into it.';
  return `# ${name}

An agent that knows what time it is, made with Thole. ${key}

    npm install
    npm start        # in the browser, loaded anew whenever a file changes
    npm run chat     # in the terminal
    npm run check    # types

\`agent.ts\` exports the agent as \`rootAgent\`. Node runs it without a build. Sessions are kept in \`.thole/\`.
`;
}
