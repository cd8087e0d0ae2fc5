import { Type } from 'typebox';
import { OneOf } from '../../../http/schema.ts';

/** Recorded once a worker has a sandbox for it; `{}` before. */
export const UsedSandbox = Type.Object({
  driver: Type.Optional(Type.String()),
  isolation: Type.Optional(
    Type.Object({
      kind: OneOf(['namespaces', 'none']),
      own_user: Type.Boolean(),
      limits: OneOf(['cgroup2', 'cgroup1', 'rlimit', 'none']),
      disk: OneOf(['image', 'poll']),
      advisory: Type.Array(OneOf(['cpu', 'memory_mb', 'disk_mb', 'pids'])),
    }),
  ),
  limits: Type.Optional(
    Type.Object({ cpu: Type.Number(), memory_mb: Type.Number(), disk_mb: Type.Number(), pids: Type.Integer() }),
  ),
});
