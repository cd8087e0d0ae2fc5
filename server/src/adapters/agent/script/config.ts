import { type Static, Type } from 'typebox';
import { AgentCheck } from '../../../lib/agent-config.ts';

const closed = { additionalProperties: false };

/** `runtime_config` of the script runtime. */
export const ScriptConfig = Type.Object(
  {
    steps: Type.Array(
      Type.Object(
        {
          run: Type.String({ minLength: 1, maxLength: 100_000 }),
          allow_failure: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      { minItems: 1, maxItems: 100 },
    ),
    summary: Type.String({ maxLength: 10_000 }),
    check: Type.Optional(AgentCheck),
  },
  closed,
);
export type ScriptConfig = Static<typeof ScriptConfig>;
