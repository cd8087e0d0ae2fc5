import { defaults, explain } from '../../http/schema.ts';

const policy = {
  enabled: 'False if no trigger starts it.',
  executor: '`platform` starts a session for each run; `external` hands runs to programs that claim them.',
  run_as:
    '`creator`: its sessions act for its creator, with their own secrets and limits. `organization`: they act for nobody in particular, so no role and no group limits them.',
  concurrency:
    'A run comes due while another has not ended: `skip` drops it, `queue` lets it wait, `replace` cancels the others, `parallel` starts it.',
  missed_runs:
    'Times passed while no scheduler ran: `skip` drops them, `run_once` makes one run for all, `catch_up` makes one for each, at most the latest 1,440.',
  retry: 'Attempts of a run that fails or times out; by default one.',
  'retry.max_attempts': 'Including the first one.',
  'retry.backoff_seconds': 'The delay before the second attempt; it doubles with each one, up to a day.',
  timeout_minutes: 'An attempt is ended after this long, counted from the start of its work.',
  pause_after_failures: 'It is paused after this many failures in a row; 0: never.',
};
const inherited = {
  pause_after_failures:
    'It is paused after this many failures in a row; 0: never; null, the default: as the settings `automations` say, also after they change.',
};
const trigger = {
  triggers: 'Any of them starts a run; at most 10, of which one is a webhook.',
  'triggers.id': 'Identifies the trigger.',
  'triggers.type':
    '`schedule` and `once` start at times, `webhook` by a signed request to its URL, `push`, `change_request` and `issue` by events of repositories; the built-in git host has no issues.',
  'triggers.cron':
    'Of a schedule, else absent: minute, hour, day of the month, month, day of the week. A time that a change of the clock skips comes right after the change; one that it repeats comes once, unless the expression means every hour.',
  'triggers.timezone': 'IANA name, by default `UTC`; "" unless the type is `schedule`.',
  'triggers.at': 'The time of `once`, else absent or null.',
  'triggers.url': 'Of a webhook: where to POST.',
  'triggers.conditions': 'The payload must meet all of them; by default none. A schedule and `once` have no payload.',
  'triggers.conditions.path': 'A JSON pointer into the payload; "" is all of it.',
  'triggers.conditions.operator': '`matches` compares with a pattern, in which `*` is any text.',
  'triggers.conditions.value': 'What to compare with; null for `exists` and `absent`.',
};
const action = {
  action: 'What a run does.',
  'action.prompt_template':
    'The task. `{{payload}}` and `{{payload.name}}` refer to the payload, which follows as marked data; `{{automation.name}}`, `{{trigger.type}}` and `{{trigger.scheduled_at}}` are replaced.',
  'action.repositories': 'The repositories of its sessions, at most 10.',
  'action.repositories.provider': 'By default "": the one repository of that name.',
  'action.repositories.ref': '"" is the default branch.',
  'action.agent_id': '"" is the default agent.',
  'action.tags': 'Tags of its sessions.',
  'action.budget': 'The budget of each session; omitted limits are those of any session.',
  'action.structured_output_schema': 'A JSON Schema of the value that the agent submits; {} for none.',
  'action.deliver':
    '"" is as the settings `source_control` say, and the only value besides `none` without repositories.',
};

const triggerDefaults = {
  'triggers.conditions': [],
};
/** Describes the fields of automations in the OpenAPI document. */
export function explainAutomations(): void {
  explain('Automation', {
    ...policy,
    ...trigger,
    ...action,
    status: '`degraded`: its latest run failed. `paused`: by a person, or after failures.',
    consecutive_failures: 'Runs that failed since the last success.',
    last_run_at: 'When its latest run was created.',
    next_run_at: 'The next time of its schedules.',
    hook_secret:
      'The secret of its webhook (Standard Webhooks), only in the answer to the request that created the trigger, or rotated the secret; then "".',
    revision: 'Counts changes of the definition.',
  });
  explain(['CreateAutomationRequest', 'UpdateAutomationRequest'], {
    ...policy,
    ...inherited,
    ...trigger,
    ...action,
    'triggers.id': 'Of a trigger of this automation, to keep it; omit it for a new one.',
    'triggers.url': 'Ignored, and may be omitted; accepted so that a read can be sent back.',
  });
  explain('ValidateAutomationRequest', {
    ...trigger,
    'triggers.id': 'Ignored, and may be omitted.',
    'triggers.url': 'Ignored, and may be omitted.',
    prompt_template: 'A template to check; may be omitted.',
    sample: 'A payload to try; may be omitted.',
    'sample.type': 'The type of trigger that it comes from.',
    'sample.payload': 'The payload; {} by default.',
  });
  explain('AutomationValidation', {
    triggers: 'In the order of the request.',
    'triggers.type': 'The type of the trigger.',
    'triggers.next_times': 'The next five times.',
    'triggers.matches': 'True if the sample would start a run; null without a sample.',
    next_times: 'The next five times of all triggers together.',
    matches: 'True if the sample would start a run; null without a sample.',
    prompt: 'The prompt of the sample; "" without a template.',
  });
  defaults('CreateAutomationRequest', {
    ...triggerDefaults,
    enabled: true,
    executor: 'platform',
    run_as: 'creator',
    concurrency: 'skip',
    missed_runs: 'run_once',
    'retry.max_attempts': 1,
    'retry.backoff_seconds': 60,
    timeout_minutes: 120,
    'action.repositories': [],
    'action.agent_id': '',
    'action.tags': [],
    'action.budget': {},
    'action.structured_output_schema': {},
    'action.deliver': '',
  });
}
