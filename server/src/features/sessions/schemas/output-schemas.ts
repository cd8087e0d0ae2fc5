import { Type } from 'typebox';
import { AnyObject } from '../../../http/schema.ts';

/** What a new session says of the data that it is to hand in. */
export const outputFields = {
  structured_output_schema: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...AnyObject,
      description:
        'A JSON Schema (draft 2020-12, as in OpenAPI 3.1; at most 64 KiB and 64 levels, references within itself alone). The agent hands in a value that fits it, of at most 256 KiB: the built-in one by its tool `submit_output`, a script by writing JSON to the file that `GUILDHALL_OUTPUT` names. It becomes `structured_output`. Omit for none.',
    }),
  ),
  structured_output_required: Type.Optional(
    Type.Boolean({
      description:
        'The session fails (`agent_error`) without such a value: error code `structured_output_missing` when the agent handed in none, `structured_output_invalid` when none of them fitted. Its branch is pushed then, and no change request opened. An agent that can be told is told what is wrong, twice at most. false, the default: a value that does not fit is a `warning`.',
    }),
  ),
};
