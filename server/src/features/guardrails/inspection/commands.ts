import { forEachChild, parse, type Command, type SyntaxNode } from 'unbash';
import {
  baseName,
  isOption,
  matchesArguments,
  matchesProgram,
  parsePattern,
  type CommandPattern,
} from './command-pattern.ts';
import { argumentOf, exactly, inputOf, isPrinted, type Argument } from './command-words.ts';

/** The decision about a command of an agent. */
export type CommandVerdict =
  | { outcome: 'allowed' }
  | { outcome: 'denied'; pattern: string }
  /** It cannot be ruled out that it runs a denied command; `reason` continues after "because". */
  | { outcome: 'unclear'; reason: string };

/** Beyond these, a command is unclear. */
const maxLength = 65_536;
const maxDepth = 8;
const maxScripts = 200;
const maxNestedCalls = 64;

/**
 * Decides if a command for `bash -c` runs a denied one, anywhere: in pipes, lists, functions and substitutions, through `sh
 * -c`, `env`, `sudo`, `xargs`, `find -exec` and the like. Not inspected are other programs that start commands, and scripts
 * in files. Linear in the length except for the parser: run it with a deadline.
 */
export function judgeCommand(command: string, patterns: readonly string[]): CommandVerdict {
  const judge = new Judge(patterns.map(parsePattern));
  try {
    judge.script(command, 0);
  } catch (error) {
    if (error instanceof Denied) return { outcome: 'denied', pattern: error.pattern };
    if (error instanceof RangeError) return { outcome: 'unclear', reason: 'it is nested too deeply' };
    throw error;
  }
  return judge.reason === undefined ? { outcome: 'allowed' } : { outcome: 'unclear', reason: judge.reason };
}

class Denied extends Error {
  readonly pattern: string;

  constructor(pattern: string) {
    super(pattern);
    this.pattern = pattern;
  }
}

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'rbash', 'fish']);
/** Programs that run the command in their arguments, with the number of their own arguments in front of it. */
const plainRunners =
  'env sudo doas nohup nice ionice time stdbuf setsid command builtin exec xargs parallel strace ltrace busybox toybox ' +
  'unbuffer watch unshare nsenter prlimit systemd-run bwrap firejail torsocks proxychains proxychains4 runuser setpriv ' +
  'eatmydata fakeroot xvfb-run dbus-run-session pkexec valgrind setarch catchsegv';
const runners: ReadonlyMap<string, number> = new Map([
  ...plainRunners.split(' ').map((name) => [name, 0] as const),
  ...['timeout', 'chroot', 'flock', 'taskset', 'chrt', 'faketime'].map((name) => [name, 1] as const),
]);
/** Programs whose option `-c` takes a script. */
const scriptTakers = new Set([...shells, 'su', 'script', 'flock', 'runuser']);
const endless = new Set(['xargs', 'parallel']);

interface Call {
  readonly words: readonly Argument[];
  /** More words may follow. */
  readonly isOpen: boolean;
  readonly depth: number;
  readonly command: Command;
}

class Judge {
  readonly #patterns: readonly CommandPattern[];
  #scripts = 0;
  #nestedCalls = 0;
  reason: string | undefined;

  constructor(patterns: readonly CommandPattern[]) {
    this.#patterns = patterns;
  }

  script(text: string, depth: number): void {
    this.#scripts += 1;
    if (text.length > maxLength) return this.#unclear(`it is longer than ${maxLength} characters`);
    if (depth > maxDepth || this.#scripts > maxScripts) return this.#unclear('it is nested too deeply');
    this.#visit(parse(text), depth);
  }

  #unclear(reason: string): void {
    this.reason ??= reason;
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (node.type === 'Script' && 'errors' in node && (node.errors ?? []).length > 0)
      this.#unclear(`it cannot be parsed: ${node.errors?.[0]?.message ?? ''}`);
    if ((node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') && node.script === undefined)
      this.#unclear('a substitution cannot be parsed');
    if (node.type === 'Command' && node.name !== undefined) {
      const words = [argumentOf(node.name), ...node.args.map(argumentOf)];
      this.#call({ words, isOpen: false, depth, command: node });
    }
    forEachChild(node, (child) => this.#visit(child, depth));
  }

  #call(call: Call): void {
    const { words, isOpen } = call;
    const [program, ...given] = words;
    if (program === undefined) return;
    const path = pathOf(program);
    if (path === undefined) return this.#unclear('the name of a program is computed');
    for (const pattern of this.#patterns) {
      if (!matchesProgram(pattern, path)) continue;
      const match = matchesArguments(pattern, given, isOpen);
      if (match === 'yes') throw new Denied(pattern.text);
      if (match === 'maybe') this.#unclear(`arguments of ${baseName(path)} are computed`);
    }
    this.#nested(baseName(path), given, call);
  }

  /** Judges what a program runs. */
  #nested(name: string, given: readonly Argument[], call: Call): void {
    const { depth } = call;
    if (scriptTakers.has(name) && this.#optionScript(name, given, depth)) return;
    if (shells.has(name)) return this.#shell(given, call);
    const own = runners.get(name);
    if (own !== undefined) return this.#runner(name, given, own, call);
    switch (name) {
      case 'eval':
        return this.#joined(given, depth);
      case 'trap':
      case 'alias':
        return this.#texts(given, depth);
      case '.':
      case 'source':
        return this.#file(call);
      case 'find':
        return this.#find(given, call);
    }
  }

  /** Judges the script of `-c`; false if there is none. */
  #optionScript(name: string, given: readonly Argument[], depth: number): boolean {
    const at = given.findIndex(
      ({ prefix, isExact }) => isExact && (/^-[a-zA-Z]*c$/.test(prefix) || prefix === '--command'),
    );
    const inline = given.find(({ prefix }) => prefix.startsWith('--command='));
    if (inline !== undefined) this.#text({ ...inline, prefix: inline.prefix.slice('--command='.length) }, depth);
    if (at < 0) return inline !== undefined;
    let next = at + 1;
    if (shells.has(name))
      while (next < given.length && /^[-+]/.test(given[next]?.prefix ?? ''))
        next += /^[-+][a-zA-Z]*[oO]$|^--(rcfile|init-file)$/.test(given[next]?.prefix ?? '') ? 2 : 1;
    const script = given[next];
    if (script !== undefined) this.#text(script, depth);
    return true;
  }

  #shell(given: readonly Argument[], { command, depth, isOpen }: Call): void {
    if (given.some(({ prefix }) => /^(--version|--help|-n)$/.test(prefix))) return;
    if (command.args.some(isPrinted)) return this.#unclear('a shell runs what another command prints');
    let at = 0;
    while (at < given.length && /^[-+]/.test(given[at]?.prefix ?? ''))
      at += /^[-+][a-zA-Z]*[oO]$|^--(rcfile|init-file)$/.test(given[at]?.prefix ?? '') ? 2 : 1;
    const file = given[at];
    const reads =
      given.some(({ prefix }) => /^-[a-zA-Z]*s$/.test(prefix)) || file?.prefix === '/dev/stdin' || file === undefined;
    if (file !== undefined && !reads) {
      // An unquoted variable may be options and a script.
      if (!file.isExact && file.prefix === '') this.#unclear('the arguments of a shell are computed');
      return;
    }
    const input = isOpen ? undefined : inputOf(command.redirects);
    if (input === undefined) this.#unclear('a shell reads its commands from its input');
    else if (typeof input === 'string') this.script(input, depth + 1);
  }

  /** Judges the command behind a program's options; the word behind an option may be its value, or the command. */
  #runner(name: string, given: readonly Argument[], own: number, call: Call): void {
    if (name === 'command' && given.some(({ prefix }) => /^-[a-z]*[vV]/.test(prefix))) return;
    if (name === 'watch')
      this.#joined(
        given.filter(({ prefix }) => !isOption(prefix)),
        call.depth,
      );
    const starts = new Set<number>();
    // The position, and how many of its own arguments the program has had.
    const states = new Map<number, Set<number>>([[0, new Set([0])]]);
    for (let at = 0; at < given.length; at += 1) {
      const counts = states.get(at);
      states.delete(at);
      const word = given[at];
      if (counts === undefined || word === undefined) continue;
      const go = (to: number, count: number): void => {
        const there = states.get(to) ?? new Set<number>();
        there.add(count);
        states.set(to, there);
      };
      for (const count of counts) {
        const { prefix, isExact } = word;
        if (isOption(prefix)) {
          if (name === 'env' && /^(-[a-zA-Z]*S|--split-string)/.test(prefix))
            this.#split(prefix, given[at + 1], isExact, call.depth);
          go(at + 1, count);
          if (isExact && !prefix.includes('=')) go(at + 2, count);
        } else if (prefix === '--' || /^[A-Za-z_][A-Za-z0-9_]*=/.test(prefix)) go(at + 1, count);
        else if (count < own) go(at + 1, count + 1);
        else starts.add(at);
      }
    }
    for (const at of starts) this.#inner({ ...call, words: given.slice(at), isOpen: call.isOpen || endless.has(name) });
  }

  /** Judges a command in the arguments of another one. */
  #inner(call: Call): void {
    this.#nestedCalls += 1;
    if (call.depth >= maxDepth || this.#nestedCalls > maxNestedCalls) return this.#unclear('it is nested too deeply');
    this.#call({ ...call, depth: call.depth + 1 });
  }

  #split(option: string, value: Argument | undefined, isExact: boolean, depth: number): void {
    const inline = option.replace(/^(-[a-zA-Z]*S|--split-string=?)/, '');
    if (inline === '') {
      if (value !== undefined) this.#text(value, depth);
    } else if (isExact) this.script(inline, depth + 1);
    else this.#unclear('the arguments of env are computed');
  }

  #find(given: readonly Argument[], call: Call): void {
    for (const [at, { prefix }] of given.entries()) {
      if (!/^-(exec|execdir|ok|okdir)$/.test(prefix)) continue;
      const rest = given.slice(at + 1);
      const end = rest.findIndex(({ prefix: text, isExact }) => isExact && (text === ';' || text === '+'));
      const words = (end < 0 ? rest : rest.slice(0, end)).map((word) =>
        word.prefix.includes('{}') ? { ...exactly(''), prefix: '/', isExact: false } : word,
      );
      this.#inner({ ...call, words });
    }
  }

  #file({ command }: Call): void {
    if (command.args.some(isPrinted)) this.#unclear('a shell runs what another command prints');
  }

  #joined(words: readonly Argument[], depth: number): void {
    if (words.every(({ isExact }) => isExact)) this.script(words.map(({ prefix }) => prefix).join(' '), depth + 1);
    else this.#unclear('a script is computed');
  }

  #texts(words: readonly Argument[], depth: number): void {
    for (const word of words) {
      const text = word.prefix.replace(/^[A-Za-z0-9_.-]+=/, '');
      if (!isOption(text)) this.#text({ ...word, prefix: text }, depth);
    }
  }

  #text({ prefix, isExact }: Argument, depth: number): void {
    if (isExact) this.script(prefix, depth + 1);
    else this.#unclear('a script is computed');
  }
}

/** Returns the path of a program; of a computed one, what follows its directory, if that is known. */
function pathOf({ prefix, suffix, isExact }: Argument): string | undefined {
  if (isExact) return prefix;
  const name = suffix.includes('/') ? baseName(suffix) : '';
  return name === '' ? undefined : `/${name}`;
}
