import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { explain, Id, named } from '../../http/schema.ts';
import { explainAutomations } from './descriptions.ts';
import * as examples from './examples.ts';
import {
  Automation,
  AutomationList,
  AutomationQuery,
  AutomationValidation,
  CreateAutomation,
  RotateAutomationSecret,
  UpdateAutomation,
  TriggerAutomation,
  ValidateAutomation,
} from './schemas.ts';
import {
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  pauseAutomation,
  resumeAutomation,
  updateAutomation,
} from './service.ts';
import { rotateHookSecret } from './hook-rotation-service.ts';
import { triggerAutomation } from './run-now-service.ts';
import { AutomationRun } from './runs/schemas.ts';
import { validateAutomation } from './validate-service.ts';

const StartedRun = named('StartedAutomationRun', Type.Object({ run: AutomationRun }));
explain('StartedAutomationRun', { run: 'The run, which has not started yet.' });

type RouteContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'keyRing' | 'jobs'>;

export function automationRoutes(ctx: RouteContext): Route[] {
  explainAutomations();
  return [
    route({
      method: 'GET',
      path: '/automations',
      id: 'listAutomations',
      summary: 'List automations',
      description: 'Newest first. Filters combine with "and".',
      scope: 'sessions:read',
      query: AutomationQuery,
      status: 200,
      answer: AutomationList,
      handle: ({ caller, query }) => listAutomations(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/automations',
      id: 'createAutomation',
      summary: 'Create an automation',
      description:
        'Any of its triggers starts a run. The payload of a trigger reaches the agent as marked data after the prompt, ' +
        'never as a part of it. With a webhook, the answer has its signing secret, once. 400 `invalid_schedule` for a ' +
        'time in the past, or a schedule that is invalid or too frequent.',
      scope: 'run',
      body: CreateAutomation,
      examples: examples.createAutomation,
      status: 201,
      answer: Automation,
      handle: ({ caller, body }) => createAutomation(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: '/automations/validate',
      id: 'validateAutomation',
      summary: 'Check triggers and a prompt template',
      description:
        'Saves nothing. Returns the next five times, tells if a sample payload meets the conditions, and shows the ' +
        'prompt that it makes. 400 as when creating an automation.',
      scope: 'run',
      body: ValidateAutomation,
      examples: examples.validateAutomation,
      status: 200,
      answer: AutomationValidation,
      handle: ({ caller, body }) => validateAutomation(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/automations/:id',
      id: 'getAutomation',
      summary: 'Get an automation',
      description: 'Its revision counts changes of its definition, not its runs.',
      scope: 'sessions:read',
      params: { id: Id },
      status: 200,
      answer: Automation,
      handle: ({ caller, params }) => getAutomation(ctx, caller, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/automations/:id',
      id: 'updateAutomation',
      summary: 'Update an automation',
      description:
        'Omitted fields stay unchanged, also within `action` and `retry`; `triggers` is replaced. A trigger that is ' +
        'sent with its `id` keeps it, and so a webhook its URL and secret. Only its creator can change the action of an ' +
        'automation that runs as its creator (403 `forbidden`). Runs that started are not changed.',
      scope: 'run',
      params: { id: Id },
      body: UpdateAutomation,
      examples: examples.updateAutomation,
      status: 200,
      answer: Automation,
      handle: ({ caller, params, body }) => updateAutomation(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/automations/:id',
      id: 'deleteAutomation',
      summary: 'Delete an automation',
      description: 'Also deletes its runs. Sessions that it started continue.',
      scope: 'run',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: Automation,
      handle: ({ caller, params }) => deleteAutomation(ctx, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/automations/:id/pause',
      id: 'pauseAutomation',
      summary: 'Pause an automation',
      description:
        'No trigger starts it until it is resumed; times that pass are not made up for. Runs that started continue. 200 ' +
        'if it is paused already.',
      scope: 'run',
      params: { id: Id },
      status: 200,
      answer: Automation,
      handle: ({ caller, params }) => pauseAutomation(ctx, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/automations/:id/resume',
      id: 'resumeAutomation',
      summary: 'Resume an automation',
      description: 'Also after a pause by failures, which it forgets. 200 if it is not paused.',
      scope: 'run',
      params: { id: Id },
      status: 200,
      answer: Automation,
      handle: ({ caller, params }) => resumeAutomation(ctx, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/automations/:id/rotate-secret',
      id: 'rotateAutomationSecret',
      summary: "Rotate the secret of an automation's webhook",
      description:
        'Returns the new `hook_secret`, once; the URL stays. Until the overlap ends, signatures with the old secret are ' +
        'valid, too. 409 `conflict` if the automation has no webhook.',
      scope: 'run',
      params: { id: Id },
      body: RotateAutomationSecret,
      examples: examples.rotateAutomationSecret,
      status: 200,
      answer: Automation,
      handle: ({ caller, params, body }) => rotateHookSecret(ctx, caller, params.id, body.overlap_seconds),
    }),
    route({
      method: 'POST',
      path: '/automations/:id/trigger',
      id: 'triggerAutomation',
      summary: 'Run an automation now',
      description:
        'Also if it is paused or disabled. Its conditions do not apply; its concurrency rule does, so that the run may be ' +
        '`skipped`.',
      scope: 'run',
      params: { id: Id },
      body: TriggerAutomation,
      examples: examples.triggerAutomation,
      status: 202,
      answer: StartedRun,
      handle: ({ caller, params, body }) => triggerAutomation(ctx, caller, params.id, body.payload),
    }),
  ];
}
