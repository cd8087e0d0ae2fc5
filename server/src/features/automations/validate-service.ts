import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { meets } from './conditions.ts';
import { renderPrompt, requireTemplate } from './prompt.ts';
import { automationSettings } from './rules.ts';
import { nextTimes } from './schedule.ts';
import type { ValidateAutomation } from './schemas.ts';
import { storedTriggers } from './trigger-rules.ts';

const shownTimes = 5;

/**
 * Checks triggers and a template without saving anything: the next times, whether a sample payload would start a run, and
 * the prompt that it would make. Throws as `createAutomation` does.
 */
export async function validateAutomation(
  ctx: Pick<Context, 'db' | 'clock'>,
  { organization }: Actor,
  { triggers: inputs, prompt_template: template = '', sample }: ValidateAutomation,
) {
  const now = ctx.clock.now();
  const { min_interval_minutes: minIntervalMinutes } = await automationSettings(ctx, organization.id);
  const triggers = storedTriggers(inputs, { now, minIntervalMinutes, isSample: true });
  if (template !== '') requireTemplate(template, '/prompt_template');
  const payload = sample?.payload ?? {};
  const shown = triggers.map((trigger) => ({
    type: trigger.type,
    next_times: nextTimes(trigger, now, shownTimes),
    matches: sample === undefined ? null : trigger.type === sample.type && meets(trigger.conditions, payload),
  }));
  const times = new Set(shown.flatMap(({ next_times }) => next_times.map((time) => time.getTime())));
  const occasion = { trigger: sample?.type ?? 'manual', scheduledFor: null, payload };
  return {
    triggers: shown,
    next_times: [...times]
      .toSorted((a, b) => a - b)
      .slice(0, shownTimes)
      .map((time) => new Date(time)),
    matches: sample === undefined ? null : shown.some(({ matches }) => matches === true),
    prompt: template === '' ? '' : renderPrompt({ name: 'Sample', template }, occasion),
  };
}
