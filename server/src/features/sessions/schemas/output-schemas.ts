import { Type } from 'typebox';
import { AnyObject } from '../../../http/schema.ts';

/** The fields of a new session about its structured output. */
export const outputFields = {
  structured_output_schema: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...AnyObject,
      description:
        'A JSON Schema (draft 2020-12, as in OpenAPI 3.1; at most 64 KiB and 64 levels; only local references). The agent submits a value that fits it, of at most 256 KiB: the built-in agent with its tool `submit_output`, a script by writing JSON to the file that `GUILDHALL_OUTPUT` names. The value becomes `structured_output`. Omit for none.',
    }),
  ),
  structured_output_required: Type.Optional(
    Type.Boolean({
      description:
        'True if the session fails (`agent_error`) without such a value: with the error code `structured_output_missing` if the agent submitted none, or `structured_output_invalid` if none was valid. Its branch is pushed, but no change request is opened. An agent that takes messages is told what is wrong, at most twice. With false, an invalid value is a `warning`.',
    }),
  ),
};
