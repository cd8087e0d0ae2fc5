import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNetworkEntry } from '../../../gateway/network-entry.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { commandLines } from '../contract-fixture.ts';
import { limits, type SandboxWorld } from './world-fixture.ts';

/** Tests the declared capabilities of a driver. */
export function capabilitiesContract(world: SandboxWorld): void {
  const { isolated, create, run, output, script } = world;

  test('the gateway is reached over its address inside, also as the proxy of every program', async () => {
    const socket = join(world.base, 'gateway.sock');
    const server = createServer((request, response) => response.end(`gateway ${request.url}`));
    await new Promise<void>((resolve) => void server.listen(socket, resolve));
    const { gateway } = world.driver;
    const entry = gateway.by === 'network' ? createNetworkEntry(gateway.host) : undefined;
    const admitted = await entry?.add(socket);
    const address = admitted?.address ?? { socket };
    const sandbox = await create({ gateway: address });
    try {
      expect(world.shared.gatewayUrl).toBe('');
      expect(sandbox.gatewayUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const { workspace, home, gatewayUrl } = sandbox;
      expect(world.driver.places).toEqual(isolated ? { workspace, home, gatewayUrl } : undefined);
      const get = (url: string) =>
        script(sandbox, `fetch(${url}).then((answer) => answer.text()).then((text) => console.log(text))`);
      expect(await get(`'${sandbox.gatewayUrl}/hello'`)).toBe('gateway /hello');
      expect(await output(sandbox, 'echo $http_proxy $HTTPS_PROXY $no_proxy ${ALL_PROXY-unset}')).toBe(
        `${sandbox.gatewayUrl} ${sandbox.gatewayUrl} 127.0.0.1,localhost unset`,
      );
      // A request with an immediate response, and a body that takes long.
      const post = `fetch('${sandbox.gatewayUrl}/x', { method: 'POST', body: Buffer.alloc(3_000_000) }).then((answer) => answer.text()).then((text) => console.log(text))`;
      expect(await script(sandbox, post)).toBe('gateway /x');
      if ('token' in address) {
        expect(await output(sandbox, 'env')).not.toContain(address.token);
        expect(commandLines().filter((line) => line.includes(address.token))).toEqual([]);
      }
    } finally {
      await sandbox.destroy();
      await entry?.close();
      server.close();
    }
  });

  test('a base layer is what later sandboxes start from, and none of them writes it', async () => {
    const maker = await create();
    await run(
      maker,
      'mkdir dir; echo base > dir/file; ln -s dir/file link; chmod 600 dir/file; echo home > ~/home-file',
    );
    // Without a namespace the worker copies as its own user, who may not read such a file.
    await run(maker, `echo hidden > locked; chmod ${isolated ? '000' : '400'} locked`);
    const layer = await maker.saveLayer();
    const other = await maker.saveLayer();
    expect(other).not.toBe(layer);
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
    const { layers } = world.driver;
    expect((await layers.list()).toSorted()).toEqual([layer, other].toSorted());
    expect(await layers.sizeOf(layer)).toBeGreaterThan(0);
    await layers.discard(other);
    await layers.discard(other);
    expect(await layers.list()).toEqual([layer]);
    expect(await layers.sizeOf(other)).toBeUndefined();
    await expect(create({ layer: other })).rejects.toThrow(ProviderError);
    // The driver of another worker, as after a restart.
    const again = world.makeDriver();
    expect(await again.sweep()).toBe(0);
    const last = await again.create({ id: 'ses_layer_3', limits, layer: (await again.layers.list())[0] ?? '' });
    expect(await output(last, 'cat dir/file; stat -c %a dir')).toBe('base\n755');
    await last.destroy();
  });

  test('what is mounted is read where the driver says and, but for one without isolation, cannot be written', async () => {
    const mirror = join(world.base, 'private', 'mirror.git');
    await mkdir(mirror, { recursive: true });
    await writeFile(join(mirror, 'HEAD'), 'ref: main\n');
    await chmod(mirror, 0o777);
    await chmod(join(mirror, 'HEAD'), 0o666);
    await chmod(join(world.base, 'private'), 0o700);
    const { mounts } = world.driver;
    if (mounts === undefined) {
      await expect(create({ mounts: [mirror] })).rejects.toThrow(ProviderError);
      return;
    }
    const sandbox = await create({ mounts: [mirror] });
    const inside = mounts.pathInside(mirror);
    expect(await output(sandbox, `cat ${inside}/HEAD`)).toBe('ref: main');
    if (!isolated) return sandbox.destroy();
    expect(await output(sandbox, `echo x > ${inside}/HEAD`)).toContain('Read-only file system');
    expect(await output(sandbox, `touch ${inside}/new`)).toContain('Read-only file system');
    await sandbox.destroy();
  });
}
