import { Type, type Static } from 'typebox';
import {
  AnyObject,
  defaults,
  explain,
  Id,
  Name,
  named,
  NullableInteger,
  NullableNumber,
  OneOf,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';
import { runtimes } from '../../adapters/agent/drivers.ts';

export const Agent = record(
  'Agent',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.String(),
    system_prompt: Type.String(),
    model: Type.String({ description: '"" is the organization\'s default.' }),
    max_tokens: NullableInteger,
    temperature: NullableNumber,
    runtime: OneOf(runtimes),
    runtime_config: AnyObject,
    version: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  '/version',
);

const fields = {
  name: Name(200),
  description: Type.Optional(Text(2_000)),
  system_prompt: Type.Optional(Text(100_000)),
  model: Type.Optional(Text(200)),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  runtime: Type.Optional(OneOf(runtimes)),
  runtime_config: Type.Optional(AnyObject),
};

export const CreateAgent = Type.Object(fields);
// minProperties counts unknown keys too; the service refuses a change that names no known field.
export const UpdateAgent = Type.Object({ ...fields, name: Type.Optional(fields.name) }, { minProperties: 1 });
export type CreateAgent = Static<typeof CreateAgent>;
export type UpdateAgent = Static<typeof UpdateAgent>;

const AgentRuntime = named(
  'AgentRuntime',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    runtime: OneOf(runtimes),
    installed: Type.Boolean(),
    version: Type.String(),
    problem: Type.String({ description: 'Why its sessions cannot start; "" if they can.' }),
  }),
);
export const AgentRuntimeList = named('AgentRuntimeList', Type.Object({ items: Type.Array(AgentRuntime) }));

explain(['Agent', 'CreateAgentRequest', 'UpdateAgentRequest'], {
  runtime:
    '`builtin` is the agent that comes with Guildhall; `script` runs the steps of its `runtime_config`; `acp` runs another program that speaks the Agent Client Protocol.',
  runtime_config:
    'What the runtime needs, replaced whole. `script`: `{steps: [{run, allow_failure?}], summary, check?}`. `acp`: `{preset, command?, args?}`. `builtin`: nothing, `{}`.',
});
explain(['CreateAgentRequest', 'UpdateAgentRequest'], {
  description: 'A description for readers; at most 2,000 characters.',
  system_prompt: "Added to the agent's instructions; at most 100,000 characters.",
  model: '`<provider>/<model>`, one that the organization allows; "" is the organization\'s default.',
  max_tokens: "Maximum number of tokens of one response; default the model's own limit. null is rejected.",
  temperature: "0 to 2; default the model's own. null is rejected.",
});
explain('AgentRuntime', {
  id: '`builtin`, `script`, or the preset of `acp`.',
  runtime: 'The `runtime` of its agents.',
  installed: 'True if it is installed, so that sessions can start.',
  version: 'Its version; "" if it is not installed.',
});
explain('AgentRuntimeList', {
  items: 'All runtimes.',
});
defaults('CreateAgentRequest', {
  description: '',
  system_prompt: '',
  model: '',
  runtime: 'builtin',
  runtime_config: {},
});
