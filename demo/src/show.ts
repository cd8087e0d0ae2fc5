import { styleText } from 'node:util';
import type { components, SessionEvent } from '@guildhall/client';

type Phase = components['schemas']['SessionPhase'];
type Style = Parameters<typeof styleText>[0];

const mostCharacters = 2_000;
/** The maximum number of characters shown of one message of an agent. */
const mostSaid = 100_000;

/**
 * Makes a text of agents, programs and repositories safe as a part of a line: without terminal control characters,
 * characters that change the text direction, and what looks like our own lines.
 */
function plain(text: string): string {
  const shown = text
    .slice(0, mostCharacters)
    .replaceAll(/[\n-\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(/(?!\t)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return text.length > mostCharacters ? `${shown}…` : shown;
}
const paint = (style: Style, text: string): string => styleText(style, plain(text), { stream: process.stdout });
const line = (text = ''): void => {
  waiting.clear();
  process.stdout.write(`${text}\n`);
  waiting.draw();
};
const waiting = createWaitingLine();

/** Shows on a terminal, in the last line, what is awaited and for how long; prints it once elsewhere. */
function createWaitingLine() {
  const steps = new Map<string, { text: string; sinceMs: number }>();
  const isTerminal = process.stdout.isTTY;
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => void (isTerminal && timer !== undefined && process.stdout.write('\r\u001b[2K'));
  const draw = (): void => {
    const [oldest] = steps.values();
    if (!isTerminal || oldest === undefined) return;
    const text = `        … ${oldest.text} ${Math.round((Date.now() - oldest.sinceMs) / 1_000)} s`;
    process.stdout.write(`\r\u001b[2K${paint('dim', text.slice(0, process.stdout.columns - 1))}`);
  };
  const waitingLine = {
    clear,
    draw,
    begin(id: string, text: string): void {
      if (!isTerminal) return line(`        … ${text}`);
      steps.set(id, { text, sinceMs: Date.now() });
      timer ??= setInterval(draw, 1_000);
      return draw();
    },
    end(id: string): void {
      steps.delete(id);
      clear();
      if (steps.size > 0) return draw();
      clearInterval(timer);
      timer = undefined;
      return undefined;
    },
    endAll(): void {
      for (const id of steps.keys()) waitingLine.end(id);
    },
  };
  return waitingLine;
}

/** Clears the waiting line. */
export function done(): void {
  waiting.endAll();
}

export function title(text: string): void {
  line(`\n${paint(['bold', 'cyan'], `━━ ${text}`)}`);
}

export function fact(name: string, value: string): void {
  line(`   ${paint('dim', name.padEnd(16))} ${plain(value)}`);
}

export function step(text: string): void {
  line(` ${paint('green', '✓')} ${plain(text)}`);
}

/** Shows a failure in separate lines. */
export function failure(text: string): void {
  process.stderr.write(`\n${text.split('\n').map(plain).join('\n')}\n`);
}

/** Shows that the event stream broke, and why. */
export function lost(reason: unknown): void {
  line(
    `   ${paint('yellow', `the event stream broke and is reopened: ${reason instanceof Error ? reason.message : String(reason)}`)}`,
  );
}

/** Returns a function that shows the session as it happens: phases, commands with their output, notices. */
export function createSessionView(startedMs: number) {
  const at = (): string => paint('dim', `${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)}s`);
  const marks: Record<Phase['status'], string> = {
    running: paint('cyan', '▶'),
    passed: paint('green', '✓'),
    failed: paint('red', '✗'),
    skipped: paint('yellow', '–'),
    not_reproduced: paint('yellow', '?'),
    could_not_run: paint('yellow', '!'),
    stopped: paint('yellow', '■'),
  };
  const output = createOutputView();
  let saying = '';
  return (event: SessionEvent): void => {
    if (event.kind === 'provisioning') {
      const { step: name, subject, status, summary } = event.data;
      const id = `${name} ${subject}`;
      if (status === 'running') return waiting.begin(id, summary);
      waiting.end(id);
      if (status === 'failed') line(`${at()}   ${paint('red', summary)}`);
    } else if (event.kind === 'phase') {
      const { name, status, summary } = event.data;
      line(`${at()} ${marks[status]} ${paint('bold', name.padEnd(10))} ${status === 'running' ? '' : plain(summary)}`);
    } else if (event.kind === 'command') {
      const { command, exit_code: code, duration_ms: ms } = event.data;
      if (code === null) return line(`${at()}     ${paint('blue', '$')} ${firstLine(command)}`);
      output.end();
      const result = paint(code === 0 ? 'green' : 'red', `exit ${code}`);
      line(`${at()}     ${result} ${paint('dim', `after ${seconds(ms ?? 0)}`)}`);
    } else if (event.kind === 'message' && event.data.role === 'agent') {
      saying = `${saying}${event.data.delta}`.slice(0, mostSaid);
      if (!event.data.done) return undefined;
      for (const text of saying.trim().split('\n')) line(`${at()}     ${paint('cyan', text)}`);
      saying = '';
    } else if (event.kind === 'tool_call' && event.data.name !== 'shell') {
      line(`${at()}     ${paint('blue', '•')} ${plain(event.data.title)}`);
    } else if (event.kind === 'output') {
      output.add(event.data.text);
    } else if (event.kind === 'branch_pushed') {
      const { branch, commit } = event.data;
      line(`${at()}     pushed ${paint('bold', branch)} at ${plain(commit.slice(0, 10))}`);
    } else if (event.kind === 'warning' || event.kind === 'error') {
      line(`${at()}   ${paint(event.kind === 'error' ? 'red' : 'yellow', event.data.message)}`);
    }
    return undefined;
  };
}

/** Returns a view that shows the first lines of a command's output as they arrive, and the last ones at its end. */
function createOutputView() {
  const head = 3;
  const tail = 5;
  let open = '';
  let shown = 0;
  let held: string[] = [];
  let left = 0;
  const put = (text: string): void => line(`${' '.repeat(12)}${paint('dim', text.slice(0, 110))}`);
  return {
    add(text: string): void {
      const lines = `${open}${text}`.split('\n');
      open = (lines.pop() ?? '').slice(0, mostCharacters);
      for (const one of lines.filter((candidate) => candidate.trim() !== '')) {
        if (shown < head) {
          shown += 1;
          put(one);
        } else held.push(one);
        if (held.length > tail) {
          held.shift();
          left += 1;
        }
      }
    },
    end(): void {
      if (open.trim() !== '') held.push(open);
      if (left > 0) put(`… ${left} more lines`);
      for (const one of held) put(one);
      open = '';
      shown = 0;
      held = [];
      left = 0;
    },
  };
}

/** Shows a unified diff in colour. */
export function diff(patch: string): void {
  for (const text of patch.trimEnd().split('\n')) {
    if (text.startsWith('@@')) line(`   ${paint('cyan', text)}`);
    else if (/^(?:diff|index|---|\+\+\+|new file|deleted file)/.test(text)) line(`   ${paint('bold', text)}`);
    else if (text.startsWith('+')) line(`   ${paint('green', text)}`);
    else if (text.startsWith('-')) line(`   ${paint('red', text)}`);
    else line(`   ${plain(text)}`);
  }
}

/** Shows the check before and after: command, exit code, the end of its output. */
export function evidence(phases: readonly Phase[]): void {
  for (const [name, label] of [
    ['reproduce', 'before'],
    ['verify', 'after'],
  ] as const) {
    const phase = phases.find((candidate) => candidate.name === name);
    for (const { kind, command, exit_code: code, duration_ms: ms, output_tail: tail, problem } of phase?.evidence ??
      []) {
      if (kind !== 'command') continue;
      const result = paint(code === 0 ? 'green' : 'red', `exit ${code ?? 'none'}`);
      line(`   ${paint('bold', label.padEnd(7))} ${result}  ${paint('dim', seconds(ms))}  ${firstLine(command)}`);
      if (problem !== undefined) line(`           ${paint('yellow', `could not run: ${problem}`)}`);
      for (const text of tail.trimEnd().split('\n').slice(-6)) line(`           ${paint('dim', text)}`);
    }
  }
}

/** Prints the duration of each phase. */
export function durations(phases: readonly Phase[]): void {
  for (const { name, status, started_at: from, ended_at: to } of phases) {
    const took = Date.parse(to ?? '') - Date.parse(from ?? '');
    fact(name, `${Number.isNaN(took) ? '' : seconds(took).padStart(7)}  ${status}`);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function firstLine(command: string): string {
  const [first = '', ...rest] = command.split('\n');
  return rest.length === 0 ? plain(first) : `${plain(first)} ${paint('dim', `(+${rest.length} lines)`)}`;
}
