import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './architecture/workspace.ts';

/** Matches packages that `thole` installs. Other packages are loaded only by programs that use them. */
const installed =
  /^(?:thole$|@thole\/(?:core|runner|tools|mem-services|recall)(?:\/kit)?$|@cfworker\/|@orama\/|stemmer$)/;

/** Runs a program that records which modules it imports. Returns what it prints, as JSON. */
function run(program: string): { [name: string]: string[] } {
  const source = `
    import { registerHooks } from 'node:module';
    let imported = [];
    const isPackage = (name) => !name.startsWith('.') && !name.startsWith('node:') && !name.startsWith('file:');
    registerHooks({ resolve: (name, context, next) => (isPackage(name) && imported.push(name), next(name, context)) });
    const takeImports = () => imported.splice(0);
    const report = {};
    ${program}
    console.log(JSON.stringify(report));`;
  const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const output = execFileSync(process.execPath, [...flags, '-e', source], {
    cwd: join(root, 'test'),
    encoding: 'utf8',
  });
  return JSON.parse(output) as { [name: string]: string[] };
}

const setup = `
  const { InMemoryRunner, LlmAgent } = await import('thole');
  const model = {
    model: 'm',
    specVersion: 1,
    async *generateContentAsync() { yield { content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }; },
  };
  const turn = (runner) => runner.runToCompletion({ userId: 'ada', newMessage: 'Hello.' });`;

describe('imports of a program', () => {
  it('are only packages of thole, all of them before the first turn', () => {
    const report = run(`${setup}
      const runner = new InMemoryRunner({ agent: new LlmAgent({ name: 'a', model }) });
      report.imported = takeImports();
      await turn(runner);
      report.turn = takeImports();`);
    expect(report['imported']!.filter((name) => !installed.test(name))).toEqual([]);
    expect(report['imported']).toContain('@thole/runner');
    expect(report['turn']).toEqual([]);
  });

  it('do not include Kysely with a database from a URL', () => {
    const report = run(`
      const { DatabaseSessionService } = await import('@thole/sql-services');
      const service = new DatabaseSessionService('sqlite://:memory:');
      await service.createSession({ appName: 'app', userId: 'ada' });
      await service.close();
      report.imported = takeImports();`);
    expect(report['imported']).toContain('@thole/sql-services');
    expect(report['imported']).not.toContain('kysely');
  });

  it('include the SDK of MCP from the first turn that uses a server, and nothing after it', () => {
    const report = run(`${setup}
      const { McpToolset } = await import('@thole/mcp');
      const { createServer } = await import('node:http');
      const server = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        const { id, method } = body === '' ? {} : JSON.parse(body);
        if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
        const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
        const result = method === 'initialize' ? initialized : { tools: [] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = 'http://127.0.0.1:' + server.address().port + '/mcp';
      const params = { type: 'StreamableHTTPConnectionParams', url, protocol: 'legacy', privateHosts: ['127.0.0.1'] };
      const runner = new InMemoryRunner({ agent: new LlmAgent({ name: 'a', model, tools: [new McpToolset(params)] }) });
      report.imported = takeImports();
      await turn(runner);
      report.first = takeImports();
      await turn(runner);
      report.second = takeImports();
      await runner.close();
      server.close();`);
    const isOfMcp = (name: string): boolean => name.startsWith('@modelcontextprotocol/');
    expect(report['imported']!.filter(isOfMcp)).toEqual([]);
    expect(report['first']!.filter(isOfMcp)).toContain('@modelcontextprotocol/client');
    expect(report['second']).toEqual([]);
  });
});
