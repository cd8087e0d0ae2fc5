import type { Insights } from '../schemas/insight-schemas.ts';

type Known = Omit<Insights, 'observations'>;
type Observation = Insights['observations'][number];

/** A part of the time that is worth a word, and the seconds below which it is not. */
const shareOfTime = 0.3;
const minSeconds = 30;

/** Returns what is worth knowing about how a session went, most important first. */
export function observationsOf(
  { time, attempts, phases, commands, tools, warnings, files }: Known,
  runs: readonly { name: string; last_failed: number | null }[],
): Observation[] {
  const found: Observation[] = [];
  const add = (code: string, message: string, seq: number | null = null): void => {
    found.push({ code, message, seq });
  };
  const verify = phases.find(({ name }) => name === 'verify');
  if (verify !== undefined && verify.failed > 0)
    add(
      'check_failed',
      `The check failed ${times(verify.failed)} in ${verify.runs} runs.`,
      runs.find(({ name }) => name === 'verify')?.last_failed ?? null,
    );
  for (const { command, failures, last_seq: seq } of commands.repeated_failures.slice(0, 3))
    add('command_failed_repeatedly', `\`${shortOf(command)}\` failed ${times(failures)}.`, seq);
  if (attempts > 1)
    add('several_attempts', `It took ${attempts} attempts: a worker was lost or replaced, or the session was resumed.`);
  const all = Object.values(time).reduce((sum, seconds) => sum + seconds, 0);
  const share = (seconds: number, code: string, what: string): void => {
    if (seconds >= minSeconds && seconds / all >= shareOfTime)
      add(code, `${what} took ${Math.round((100 * seconds) / all)} % of the time.`);
  };
  share(time.queued_seconds, 'long_queue', 'Waiting for a free worker');
  share(time.provisioning_seconds, 'slow_provisioning', 'Preparing the sandbox');
  share(time.waiting_seconds, 'waited_for_user', 'Waiting for an answer');
  const [slowest] = commands.slowest;
  if (slowest !== undefined && slowest.seconds >= minSeconds && slowest.seconds / time.working_seconds >= shareOfTime)
    add(
      'slow_command',
      `\`${shortOf(slowest.command)}\` took ${Math.round(slowest.seconds)} s of ${Math.round(time.working_seconds)} s of work.`,
      slowest.seq,
    );
  for (const { name, calls, failed } of tools)
    if (failed >= 3 && failed / calls >= shareOfTime)
      add('tool_failed_often', `${failed} of ${calls} calls of the tool ${name} failed.`);
  const [file] = files;
  if (file !== undefined && file.changes >= 5)
    add('file_changed_often', `${file.path} changed in ${file.changes} checkpoints.`);
  for (const { code, count, message, last_seq: seq } of warnings)
    if (count >= 3)
      add('repeated_warning', `The warning ${code} appeared ${times(count)}. The last one: ${message}`, seq);
  return found;
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

function shortOf(command: string): string {
  const line = command.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
