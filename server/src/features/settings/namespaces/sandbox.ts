import { Type } from 'typebox';
import { defineNamespace } from './define.ts';
import { Texts, titled, Value, Whole } from './fields.ts';

const size = 'Size';
const access = 'Network access';

export const sandbox = defineNamespace({
  title: 'Sandbox',
  value: Value({
    cpu: titled('Processors', Type.Number({ minimum: 0.1, maximum: 256, default: 2, description: 'Processors.' }), {
      unit: 'cores',
      group: size,
    }),
    memory_mb: titled('Memory', Whole(64, 4_194_304, 4_096, 'Memory, in MiB.'), { unit: 'MiB', group: size }),
    disk_mb: titled('Disk', Whole(64, 67_108_864, 10_240, 'Disk, in MiB.'), { unit: 'MiB', group: size }),
    pids: titled('Processes', Whole(32, 1_000_000, 1_024, 'Processes and threads.'), {
      unit: 'processes',
      group: size,
    }),
    network: titled(
      'Network',
      Type.Unsafe<'none' | 'allowlist' | 'open'>({
        type: 'string',
        enum: ['none', 'allowlist', 'open'],
        default: 'none',
        description:
          'The network that a sandbox reaches besides its repositories and models. `allowlist` and `open` include package registries; private addresses are never reachable.',
      }),
      {
        group: access,
        texts: {
          none: 'Its repositories and models only.',
          allowlist: 'Also package registries and the allowed hosts.',
          open: 'Every public address.',
        },
      },
    ),
    allowed_hosts: titled(
      'Allowed hosts',
      Texts(
        500,
        260,
        'With the network `allowlist`: `host` or `*.suffix`, for the ports 80 and 443, or with a `:port`.',
      ),
      { group: access, picker: 'host' },
    ),
  }),
  enforced: true,
  example: { cpu: 4, memory_mb: 8_192, network: 'allowlist', allowed_hosts: ['*.example.com'] },
  problems: ({ allowed_hosts: hosts }) =>
    hosts.flatMap((host, at) =>
      isHostPattern(host)
        ? []
        : [{ path: `/allowed_hosts/${at}`, message: 'must be a host or *.suffix, with or without :port' }],
    ),
  maxima: ({ sandboxMax }) => sandboxMax,
});

function isHostPattern(pattern: string): boolean {
  const [, name = '', port] = /^(?:\*\.)?(.*?)(?::(\d{1,5}))?$/.exec(pattern) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return name.length <= 253 && /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(name);
}
