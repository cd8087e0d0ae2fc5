import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import type { Examples } from '../../http/examples.ts';
import { route, type Route } from '../../http/route.ts';
import { AnyObject, Body, explain, NullableTimestamp, record, Text } from '../../http/schema.ts';
import { getPreference, replacePreference } from './preference-service.ts';

const Preference = record(
  'Preference',
  Type.Object({ name: Type.String(), value: AnyObject, updated_at: NullableTimestamp }),
);
const ReplacePreference = Body({ value: AnyObject });
const examples: Examples<typeof ReplacePreference> = {
  'Mail when a session needs you or fails': { value: { email: ['session.needs_you', 'session.failed'] } },
};

explain('Preference', {
  name: 'The name in the path.',
  value: 'Your own JSON object; `{}` if you never set it. Of `notifications`, the whole value in effect.',
  updated_at: 'When you set it; null if you never did.',
});
explain('ReplacePreferenceRequest', {
  value:
    'Any JSON object, at most 64 KiB. For `notifications`: `email` and `slack`, each a list of `session.needs_you`, ' +
    '`session.finished`, `session.failed`, `change_request.needs_you`, `change_request.ready` and `change_request.ended`, ' +
    'and `slack_secret`, the key of your own secret (scope `user`) with the address of a Slack-compatible webhook.',
});

const params = {
  name: Text(64, {
    pattern: '^[a-z][a-z0-9_-]*$',
    'x-form': 'a name of lower-case letters, digits, _ and -',
    description: 'Name of the preference; `notifications` is read by the platform, all others only by clients.',
  }),
};

/** Below `/v3`. */
export function preferenceRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/self/preferences/:name',
      id: 'getPreference',
      summary: 'Get one of your preferences',
      description: 'Yours in the current organization. Nobody else can read it.',
      scope: 'any',
      persons: true,
      params,
      status: 200,
      answer: Preference,
      handle: ({ caller, params: { name } }) => getPreference(ctx, caller, name),
    }),
    route({
      method: 'PUT',
      path: '/self/preferences/:name',
      id: 'replacePreference',
      summary: 'Set one of your preferences',
      description:
        'Replaces the whole value. `notifications` decides which messages you get about sessions that you started: ' +
        'several within 30 seconds come as one, and at most one every 5 minutes. Mail goes only to a verified ' +
        'address. You can have at most 50 (409 `conflict`).',
      scope: 'any',
      persons: true,
      params,
      body: ReplacePreference,
      examples: { ...examples },
      status: 200,
      answer: Preference,
      handle: ({ caller, params: { name }, body }) => replacePreference(ctx, caller, name, body.value),
    }),
  ];
}
