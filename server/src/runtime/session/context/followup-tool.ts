import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { AgentTool, AgentToolResult } from '../../../adapters/agent/port.ts';
import {
  maxNoteLength,
  maySchedule,
  mostFollowupMinutes,
  scheduleFollowup,
} from '../../../features/automations/followup-service.ts';
import type { Attempt } from '../attempt/attempt.ts';

const Input = Type.Object({
  minutes: Type.Integer({ minimum: 1, maximum: mostFollowupMinutes, description: 'Minutes from now.' }),
  note: Type.String({
    maxLength: maxNoteLength,
    description: 'What the later run must know: what to look at again, and why. It gets it as data.',
  }),
});

const description = `Schedules another run of the automation that started this session, with the same task and a note of yours. Use it if something has to happen first that takes longer than you can wait: a build, a release, an answer. A session has one follow-up: another call replaces it.`;

type Following = Pick<Attempt, 'ctx' | 'run' | 'session' | 'secrets'>;

/** Tool with which the agent of an automation's session schedules a later run; none if the organization forbids it. */
export async function followupTools(attempt: Following): Promise<AgentTool[]> {
  const { ctx, run, session } = attempt;
  if (session.automation_id === '' || !(await maySchedule(ctx, run.orgId))) return [];
  return [
    {
      name: 'schedule_followup',
      description,
      input: { ...Input },
      // It does not change the work tree, and a repetition replaces the first one.
      readOnly: true,
      title: (input) =>
        Value.Check(Input, input) ? `Schedule a follow-up in ${input.minutes} minutes` : 'Schedule a follow-up',
      run: (input) => schedule(attempt, input),
    },
  ];
}

async function schedule({ ctx, run, secrets }: Following, input: unknown): Promise<AgentToolResult> {
  if (!Value.Check(Input, input))
    return {
      ok: false,
      output: `schedule_followup expects {"minutes": 1 to ${mostFollowupMinutes}, "note": "…"}, a note of at most ${maxNoteLength} characters.`,
    };
  const session = { orgId: run.orgId, sessionId: run.id };
  const answer = await scheduleFollowup(ctx, session, secrets.masked(input));
  if ('refusal' in answer) return { ok: false, output: answer.refusal };
  return { ok: true, output: `Another run is scheduled for ${answer.at.toISOString()}.` };
}
