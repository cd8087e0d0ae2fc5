import { Type } from 'typebox';
import { defineNamespace } from './define.ts';
import { Texts, Value, Whole } from './fields.ts';

export const sandbox = defineNamespace({
  value: Value({
    cpu: Type.Number({ minimum: 0.1, maximum: 256, default: 2, description: 'Processors.' }),
    memory_mb: Whole(64, 4_194_304, 4_096, 'Memory, in MiB.'),
    disk_mb: Whole(64, 67_108_864, 10_240, 'Disk, in MiB.'),
    pids: Whole(32, 1_000_000, 1_024, 'Processes and threads.'),
    network: Type.Unsafe<'none' | 'allowlist' | 'open'>({
      type: 'string',
      enum: ['none', 'allowlist', 'open'],
      default: 'none',
      description:
        'The network that a sandbox reaches besides its repositories and models. `allowlist` and `open` include package registries; private addresses are never reachable.',
    }),
    allowed_hosts: Texts(
      500,
      260,
      'With the network `allowlist`: `host` or `*.suffix`, for the ports 80 and 443, or with a `:port`.',
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
