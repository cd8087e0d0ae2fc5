import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const timeoutMs = 60_000;

const program = `
import { ApiError, createClient, unwrap, type SessionEvent } from '@guildhall/client';
const guildhall = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'guild_x', fetch: async () => Response.json({ id: 'ses_1' }) });
const session = await unwrap(guildhall.POST('/v3/organizations/{orgId}/sessions', { params: { path: { orgId: 'o' } }, body: { prompt: 'Fix it' } }));
const id: string = session.id;
export const kindOf = (event: SessionEvent): string => event.kind;
// @ts-expect-error There is no such path.
export const nowhere = () => guildhall.GET('/nowhere');
console.log(id, ApiError.name);
`;

test(
  'the packed client installs into a project of its own, with types under strict rules',
  { timeout: 2 * timeoutMs },
  async () => {
    const project = await mkdtemp(join(tmpdir(), 'guildhall-consumer-'));
    onTestFinished(() => rm(project, { recursive: true, force: true }));
    const { stdout } = await run('npm', ['run', '--silent', 'client', '--', project], {
      cwd: root,
      timeout: timeoutMs,
    });
    const installed = join(project, 'node_modules/@guildhall/client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', stdout.trim(), '--strip-components=1', '-C', installed]);
    for (const dependency of ['eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers'])
      await symlink(join(root, 'node_modules', dependency), join(project, 'node_modules', dependency));
    await writeFile(join(project, 'package.json'), '{"type": "module"}');
    await writeFile(join(project, 'program.ts'), program);
    const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', types: [] };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    await run(join(root, 'node_modules/.bin/tsc'), ['--project', project], { timeout: timeoutMs });
    // JavaScript, because Node runs no TypeScript below node_modules.
    const { stdout: said } = await run(process.execPath, ['program.js'], { cwd: project, timeout: timeoutMs });
    expect(said).toBe('ses_1 ApiError\n');
  },
);
