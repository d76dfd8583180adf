import { agentText } from './agent-text.ts';
import { demoLlmText } from './demo-llm-text.ts';
import { packageRanges, packageToInstall } from './package-ranges.ts';
import { testText } from './test-text.ts';

/** The provider and model of a new project. */
export type ModelChoice = { readonly provider: 'gemini' | 'openai' | 'anthropic' | 'demo'; readonly model: string };

/** Returns the files of a new project by their paths. */
export function projectFiles(name: string, choice: ModelChoice): { [path: string]: string } {
  const isDemo = choice.provider === 'demo';
  return {
    'package.json': manifestText(name, choice),
    'agent.ts': agentText(name, choice),
    'agent.test.ts': testText,
    ...(isDemo && { 'demo-llm.ts': demoLlmText }),
    'tsconfig.json': tsconfigText,
    '.env.example': envTexts[choice.provider],
    '.gitignore': 'node_modules/\n.env\n.thole/\n*.session.json\n',
    'README.md': readmeText(name, choice),
  };
}

const ZOD = '^4.6.7';

function manifestText(name: string, { provider }: ModelChoice): string {
  const providerPackages = provider === 'anthropic' ? ['@thole/provider-anthropic'] : [];
  const names = ['@thole/core', '@thole/mem-services', ...providerPackages, '@thole/runner', '@thole/tools'];
  const { dependencies, ...overrides } = packageRanges(['@thole/cli', ...names]);
  const manifest = {
    name: name.toLowerCase(),
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { start: 'thole web .', chat: 'thole run .', test: 'node --test', check: 'tsc' },
    dependencies: { ...dependencies, zod: ZOD },
    ...overrides,
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
  gemini: '# Copy this file to .env. Create a key at https://aistudio.google.com/apikey\nGEMINI_API_KEY=\n',
  openai:
    '# Copy this file to .env. Create a key at https://platform.openai.com/api-keys\nOPENAI_API_KEY=\n# A compatible server instead of OpenAI:\n# OPENAI_BASE_URL=http://localhost:11434/v1\n',
  anthropic:
    '# Copy this file to .env. Create a key at https://platform.claude.com/settings/keys\nANTHROPIC_API_KEY=\n',
  demo: '# Copy this file to .env if the agent needs variables. The demo model needs no key.\n',
};

function readmeText(name: string, { provider }: ModelChoice): string {
  const key =
    provider === 'demo'
      ? "The model in `demo-llm.ts` is a demo with a few rules. To use a real model, write `createAgent('gemini-3.8-flash')` or `createAgent('gpt-5.5')` in `agent.ts` and add the key to `.env`."
      : 'Copy `.env.example` to `.env` and add your key.';
  return `# ${name}

An agent that tells the time and remembers facts, created with Thole. ${key}

    npm install
    npm start        # chat in the browser; files are reloaded when they change
    npm run chat     # chat in the terminal
    npm test         # run the tests; they need no key and no network
    npm run check    # check the types

Ask "What time is it in Tokyo?". Write "Remember that I like tea.", and in another session "What do you remember about tea?".

| file | content |
| --- | --- |
| \`agent.ts\` | the agent, exported as \`rootAgent\`, and its tools. Node runs it without a build |
| \`agent.test.ts\` | tests with a scripted model |
${provider === 'demo' ? '| `demo-llm.ts` | the demo model |\n' : ''}| \`.env\` | keys and other variables, as in \`.env.example\` |
| \`.thole/\` | sessions, memory and files; delete it to start again |

Next:

- Add a tool: a \`FunctionTool\` with a zod schema, in the list \`tools\` of \`createAgent\`. Add a test for it.
- Keep sessions and memory in a database: \`npm install pg\`, and \`npx thole web . --session_service_uri postgresql://… --memory_service_uri postgresql://…\`.
- Serve it as an HTTP API: \`npx thole api_server .\`.
- Add another package of Thole: \`npm install ${packageToInstall('memory')}\`.
`;
}
