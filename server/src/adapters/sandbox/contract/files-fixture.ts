import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLines, expectCopies } from '../contract-fixture.ts';
import { limits, type SandboxWorld } from './world-fixture.ts';

/** Tests files, secrets and environment: into a sandbox, and out of it. */
export function filesContract(world: SandboxWorld): void {
  const { isolated, tag, create, output } = world;

  test('files are written with their directories and mode, and read back whole', async () => {
    const content = Buffer.alloc(1_000_000, 'ab');
    await world.shared.writeFile(`${world.shared.workspace}/deep/er/file.bin`, content);
    await world.shared.writeFile('tool.sh', '#!/bin/sh\necho tool\n', { mode: 0o755 });
    expect((await world.shared.readFile(`${world.shared.workspace}/deep/er/file.bin`)).equals(content)).toBe(true);
    expect(await output(world.shared, './tool.sh; stat -c %a deep/er/file.bin')).toBe('tool\n644');
    await world.shared.writeFile('empty', '');
    expect(await world.shared.readFile('empty')).toHaveLength(0);
    await expect(world.shared.readFile('missing')).rejects.toThrow(/missing/);
    await expect(world.shared.readFile('deep')).rejects.toThrow(/not a file/);
    await expect(world.shared.readFile('deep/er/file.bin', { maxBytes: 999_999 })).rejects.toThrow(/larger/);
  });

  test('a file is copied out and in whole and in constant memory, or not at all', async () => {
    const sandbox = await create({ limits: { ...limits, disk_mb: 512 } });
    await expectCopies(sandbox, join(world.base, 'copy'));
    await sandbox.destroy();
  });

  test('secrets are files in memory that their user alone reads, in no command line, and gone with the sandbox', async () => {
    const sandbox = await create({ env: { OF_ALL: `all-${tag}` } });
    const { TOKEN = '' } = await sandbox.writeSecrets({ TOKEN: `file-${tag}` });
    if (isolated) expect(TOKEN).toBe('/run/secrets/TOKEN');
    const look = `stat -c %a ${TOKEN}; stat -f -c %T ${TOKEN}; test -O ${TOKEN} && cat ${TOKEN}`;
    expect(await output(sandbox, look)).toBe(`400\ntmpfs\nfile-${tag}`);
    expect(await sandbox.writeSecrets({ TOKEN: 'second' })).toEqual({ TOKEN });
    expect(await output(sandbox, `cat ${TOKEN}; echo "$OF_ALL"`)).toBe(`secondall-${tag}`);
    let seen = '';
    const onOutput = (_stream: string, chunk: Buffer) => (seen += `${chunk.toString()} ${commandLines().join(' ')}`);
    await sandbox.exec({ command: 'cat /proc/*/cmdline', env: { ONE: `one-${tag}` }, timeoutMs: 20_000, onOutput });
    expect([seen.includes('supervisor'), seen.includes(String(tag))]).toEqual([true, false]);
    await expect(sandbox.writeSecrets({ '../TOKEN': 'x' })).rejects.toThrow(/cannot name a secret/);
    await sandbox.destroy();
    expect(existsSync(TOKEN)).toBe(false);
  });

  test('nothing of the host is in the environment, and a secret is in no argument of any process', async () => {
    const sandbox = await create({ env: { API_SECRET: 'secret-of-the-sandbox' } });
    expect(await output(sandbox, 'echo $API_SECRET')).toBe('secret-of-the-sandbox');
    expect(await output(sandbox, 'env')).not.toContain('canary-of-the-host');
    expect(commandLines().filter((line) => line.includes('secret-of-the-sandbox'))).toEqual([]);
    if (isolated) {
      expect(await output(sandbox, 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"')).not.toContain('canary-of-the-host');
    }
    await sandbox.destroy();
  });
}
