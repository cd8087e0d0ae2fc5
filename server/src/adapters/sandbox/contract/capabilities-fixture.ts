import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SandboxWorld } from './world-fixture.ts';

/** What a driver says that it can. */
export function capabilitiesContract(world: SandboxWorld): void {
  const { isolated, create, run, output, script } = world;

  test('the gateway is reached over its address inside, also as the proxy of every program', async () => {
    const socket = join(world.base, 'gateway.sock');
    const server = createServer((request, response) => response.end(`gateway ${request.url}`));
    await new Promise<void>((resolve) => void server.listen(socket, resolve));
    const sandbox = await create({ gatewaySocket: socket });
    try {
      expect(sandbox.gatewayUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const get = (url: string) =>
        script(sandbox, `fetch(${url}).then((answer) => answer.text()).then((text) => console.log(text))`);
      expect(await get(`'${sandbox.gatewayUrl}/hello'`)).toBe('gateway /hello');
      expect(await output(sandbox, 'echo $http_proxy $HTTPS_PROXY $no_proxy ${ALL_PROXY-unset}')).toBe(
        `${sandbox.gatewayUrl} ${sandbox.gatewayUrl} 127.0.0.1,localhost unset`,
      );
    } finally {
      await sandbox.destroy();
      server.close();
    }
  });

  test('a base layer is what later sandboxes start from, and none of them writes it', async () => {
    const layer = join(world.base, 'layers', 'one');
    const maker = await create();
    await run(
      maker,
      'mkdir dir; echo base > dir/file; ln -s dir/file link; chmod 600 dir/file; echo home > ~/home-file',
    );
    // Without a namespace the worker copies as its own user, who may not read such a file.
    await run(maker, `echo hidden > locked; chmod ${isolated ? '000' : '400'} locked`);
    await maker.saveLayer(layer);
    await maker.saveLayer(layer);
    await maker.destroy();
    for (const id of ['ses_layer_1', 'ses_layer_2']) {
      const user = await create({ id, layer });
      expect(await output(user, 'cat link ~/home-file; stat -c "%a %U" dir/file; ls -a | wc -l')).toBe(
        `base\nhome\n600 ${await output(user, 'id -un')}\n5`,
      );
      expect((await run(user, 'echo changed > dir/file && rm link && chmod 700 dir && rm ~/home-file')).exitCode).toBe(
        0,
      );
      await user.stop();
      const again = await create({ id, layer });
      expect(await output(again, 'cat dir/file; ls -a | wc -l; stat -c %a dir')).toBe('changed\n4\n700');
      await again.destroy();
    }
    expect(await readFile(join(layer, 'workspace', 'dir', 'file'), 'utf8')).toBe('base\n');
    expect((await stat(join(layer, 'workspace', 'dir'))).mode & 0o777).toBe(0o755);
  });

  if (!isolated) return;

  test('what is mounted to be read is read at the same path and cannot be written', async () => {
    const mirror = join(world.base, 'private', 'mirror.git');
    await mkdir(mirror, { recursive: true });
    await writeFile(join(mirror, 'HEAD'), 'ref: main\n');
    await chmod(mirror, 0o777);
    await chmod(join(mirror, 'HEAD'), 0o666);
    await chmod(join(world.base, 'private'), 0o700);
    const sandbox = await create({ readOnly: [mirror] });
    expect(await output(sandbox, `cat ${mirror}/HEAD`)).toBe('ref: main');
    expect(await output(sandbox, `echo x > ${mirror}/HEAD`)).toContain('Read-only file system');
    expect(await output(sandbox, `touch ${mirror}/new`)).toContain('Read-only file system');
    await sandbox.destroy();
  });
}
