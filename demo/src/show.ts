import { styleText } from 'node:util';
import { listOf, objectOf, type Json } from './api.ts';

type Style = Parameters<typeof styleText>[0];

const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });
const line = (text = ''): void => void process.stdout.write(`${text}\n`);

export function title(text: string): void {
  line(`\n${paint(['bold', 'cyan'], `━━ ${text}`)}`);
}

export function fact(name: string, value: string): void {
  line(`   ${paint('dim', name.padEnd(16))} ${value}`);
}

export function step(text: string): void {
  line(` ${paint('green', '✓')} ${text}`);
}

/** Shows the session as it happens: phases, commands with their output, notices. */
export function createSessionView(startedMs: number) {
  const at = (): string => paint('dim', `${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)}s`);
  const marks: Record<string, string> = {
    running: paint('cyan', '▶'),
    passed: paint('green', '✓'),
    failed: paint('red', '✗'),
    skipped: paint('yellow', '–'),
  };
  const output = createOutputView();
  return (event: Json): void => {
    const data = objectOf(event['data']);
    switch (event['kind']) {
      case 'phase': {
        const status = String(data['status']);
        line(
          `${at()} ${marks[status] ?? '·'} ${paint('bold', String(data['name']).padEnd(10))} ${status === 'running' ? '' : String(data['summary'])}`,
        );
        break;
      }
      case 'command': {
        if (typeof data['exit_code'] === 'number') {
          output.end();
          const code = data['exit_code'];
          line(
            `${at()}     ${paint(code === 0 ? 'green' : 'red', `exit ${code}`)} ${paint('dim', `after ${seconds(data['duration_ms'])}`)}`,
          );
        } else line(`${at()}     ${paint('blue', '$')} ${firstLine(String(data['command']))}`);
        break;
      }
      case 'output':
        output.add(String(data['text']));
        break;
      case 'branch_pushed':
        line(`${at()}     pushed ${paint('bold', String(data['branch']))} at ${String(data['commit']).slice(0, 10)}`);
        break;
      case 'warning':
      case 'error':
        line(`${at()}   ${paint(event['kind'] === 'error' ? 'red' : 'yellow', String(data['message']))}`);
        break;
      default:
        break;
    }
  };
}

/** Shows the first lines of a command's output as they come and the last ones at its end. */
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
      open = lines.pop() ?? '';
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

/** A unified diff in colour. */
export function diff(patch: string): void {
  for (const text of patch.trimEnd().split('\n')) {
    if (text.startsWith('@@')) line(`   ${paint('cyan', text)}`);
    else if (/^(?:diff|index|---|\+\+\+|new file|deleted file)/.test(text)) line(`   ${paint('bold', text)}`);
    else if (text.startsWith('+')) line(`   ${paint('green', text)}`);
    else if (text.startsWith('-')) line(`   ${paint('red', text)}`);
    else line(`   ${text}`);
  }
}

/** The check before and after, side by side in meaning: command, exit code, the end of its output. */
export function evidence(phases: Json[]): void {
  for (const [name, label] of [
    ['reproduce', 'before'],
    ['verify', 'after'],
  ] as const) {
    const phase = phases.find((candidate) => candidate['name'] === name);
    for (const proof of listOf(phase?.['evidence'])) {
      const code = Number(proof['exit_code']);
      line(
        `   ${paint('bold', label.padEnd(7))} ${paint(code === 0 ? 'green' : 'red', `exit ${code}`)}  ${paint('dim', seconds(proof['duration_ms']))}  ${firstLine(String(proof['command']))}`,
      );
      for (const text of String(proof['output_tail']).trimEnd().split('\n').slice(-6))
        line(`           ${paint('dim', text)}`);
    }
  }
}

/** How long each phase took. */
export function durations(phases: Json[]): void {
  for (const phase of phases) {
    const took = Date.parse(String(phase['ended_at'])) - Date.parse(String(phase['started_at']));
    fact(String(phase['name']), `${seconds(took).padStart(7)}  ${String(phase['status'])}`);
  }
}

function seconds(ms: unknown): string {
  return `${(Number(ms) / 1_000).toFixed(2)} s`;
}

function firstLine(command: string): string {
  const [first = '', ...rest] = command.split('\n');
  return rest.length === 0 ? first : `${first} ${paint('dim', `(+${rest.length} lines)`)}`;
}
