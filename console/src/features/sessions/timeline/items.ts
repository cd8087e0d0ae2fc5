import { isNoticed } from './noticed.ts';
import type { Row, RowOf } from './rows.ts';
import { stepOf, type Step } from './step.ts';

/** What stands in the list: a row, the line that stands for a step, or the files that a step changed. */
export type Item = { key: string; seq: number; lastSeq: number } & (
  | {
      kind: 'row';
      row: Row;
      commands: readonly RowOf<'command'>[];
      isNested: boolean;
      isOpen: boolean;
      hides: number;
      /** What the agent asked before it began to wait for an answer, unless it stands right above. */
      asked?: string;
    }
  | { kind: 'step'; step: Step; isOpen: boolean }
  | { kind: 'files'; files: FileChange[] }
);

export interface FileChange {
  path: string;
  change: RowOf<'file'>['is']['change'];
  additions: number;
  deletions: number;
}

export interface ItemsView {
  /** Returns whether the reader opened or closed something; undefined if they did neither. */
  byHand: (key: string) => boolean | undefined;
  /** The keys of rows whose step is open because the agent works on it. */
  live: ReadonlySet<string>;
  /** The turn that begins with a message, by the key of its row. */
  turns: ReadonlyMap<string, number>;
}

export interface Items {
  items: Item[];
  /** What hides a row, or a step: the key to open. */
  hiddenBy: Map<string, string>;
  /** The key of the first row of the last step; undefined if something else comes after it. */
  lastStep: string | undefined;
}

const work = new Set<Row['kind']>(['call', 'command', 'thought', 'file']);

/** Phases whose rows say little once they passed. */
const foldedPhases = new Set<string>(['reproduce', 'verify']);

/** Returns what is shown of rows: commands belong to their call, tool calls between two messages are one step. */
export function itemsOf(all: readonly Row[], view: ItemsView): Items {
  const list = new List(view);
  const calls = new Set(all.filter(({ kind }) => kind === 'call').map(({ key }) => key));
  const commands = Map.groupBy(
    all.filter((row) => row.kind === 'command'),
    ({ is }) => `call:${is.callId}`,
  );
  for (const row of all) {
    if (row.kind === 'command' && calls.has(`call:${row.is.callId}`)) list.hide(row.key, `call:${row.is.callId}`);
    else list.add(row, row.kind === 'call' ? (commands.get(row.key) ?? []) : []);
  }
  return list.end();
}

/** Collects items row by row; knows which step and section it is in, and which turns are closed. */
class List {
  readonly #view: ItemsView;
  readonly #items: Item[] = [];
  readonly #hiddenBy = new Map<string, string>();
  /** The rows of the step, and the cost of its model calls. */
  #step: { row: Row; commands: readonly RowOf<'command'>[] }[] = [];
  #costUsd = 0;
  /** The agent's last message since a person's last one. */
  #said = '';
  /** The heads of closed turns, and of the closed section that hides what comes. */
  readonly #turns = new Map<number, Item>();
  #section: { phase: string; head: Item } | undefined;

  constructor(view: ItemsView) {
    this.#view = view;
  }

  hide(key: string, by: string): void {
    this.#hiddenBy.set(key, by);
  }

  add(row: Row, commands: readonly RowOf<'command'>[]): void {
    if (row.kind === 'usage') this.#costUsd += row.is.cost_usd;
    if (!isNoticed(row)) return;
    if (work.has(row.kind)) {
      this.#step.push({ row, commands });
      return;
    }
    this.#endStep();
    this.#costUsd = 0;
    this.#place(row, commands);
  }

  end(): Items {
    const lastStep = this.#step.find(({ row }) => row.kind !== 'file')?.row.key;
    this.#endStep();
    return { items: this.#items, hiddenBy: this.#hiddenBy, lastStep };
  }

  /** Places a row that is no part of a step; it may begin a turn or a section. */
  #place(row: Row, commands: readonly RowOf<'command'>[]): void {
    const turn = this.#view.turns.get(row.key);
    if (turn !== undefined || row.kind === 'phase') this.#section = undefined;
    const isOpen = this.#isOpen(row, turn);
    const { key, seq, lastSeq } = row;
    if (row.kind === 'message') this.#said = row.is.role === 'agent' ? row.is.text.head + row.is.text.tail : '';
    const isAsking = row.kind === 'status' && row.is.status_detail === 'awaiting_user' && !this.#endsWithMessage();
    const asked = isAsking && this.#said !== '' ? { asked: this.#said } : {};
    const item: Item = { kind: 'row', key, seq, lastSeq, row, commands, isNested: false, isOpen, hides: 0, ...asked };
    if (turn === undefined) this.#push(item, row);
    else this.#items.push(item);
    if (turn !== undefined && turn > 1 && !isOpen) this.#turns.set(turn, item);
    if (row.kind === 'phase' && !isOpen) this.#section = { phase: row.is.name, head: item };
  }

  #endsWithMessage(): boolean {
    const last = this.#items.at(-1);
    return last?.kind === 'row' && last.row.kind === 'message';
  }

  #isOpen(row: Row, turn: number | undefined): boolean {
    const chosen = this.#view.byHand(row.key);
    if (chosen !== undefined) return chosen;
    if (turn !== undefined) return true;
    if (row.kind === 'phase') return row.is.status !== 'passed' || !foldedPhases.has(row.is.name);
    if (row.kind === 'call') return row.is.result?.ok === false;
    return row.kind === 'command' && row.is.command?.exit_code !== 0;
  }

  #endStep(): void {
    const step = this.#step;
    const costUsd = this.#costUsd;
    this.#step = [];
    const done = step.filter(({ row }) => row.kind !== 'file');
    const files = step.flatMap(({ row }) => (row.kind === 'file' ? [row] : []));
    const [first] = done;
    const isStep = done.length > 1 && done.some(({ row }) => row.kind !== 'thought');
    if (first !== undefined && isStep) this.#placeStep(first.row, done, costUsd);
    else for (const { row, commands } of done) this.#placeWork(row, commands, false);
    if (files.length > 0) this.#placeFiles(files);
  }

  #placeStep(first: Row, done: readonly { row: Row; commands: readonly RowOf<'command'>[] }[], costUsd: number): void {
    const key = `step:${first.key}`;
    const chosen = done.map(({ row }) => this.#view.byHand(`step:${row.key}`)).find((is) => is !== undefined);
    const isOpen = chosen ?? done.some(({ row }) => this.#view.live.has(row.key));
    const rows = done.map(({ row }) => row);
    const lastSeq = Math.max(...rows.map((row) => row.lastSeq));
    this.#push({ kind: 'step', key, seq: first.seq, lastSeq, step: stepOf(rows, costUsd), isOpen }, first);
    for (const { row, commands } of done) {
      if (isOpen) this.#placeWork(row, commands, true);
      else this.#hiddenBy.set(row.key, key);
    }
  }

  #placeWork(row: Row, commands: readonly RowOf<'command'>[], isNested: boolean): void {
    const { key, seq, lastSeq } = row;
    const isOpen = this.#isOpen(row, undefined);
    this.#push({ kind: 'row', key, seq, lastSeq, row, commands, isNested, isOpen, hides: 0 }, row);
  }

  #placeFiles(rows: readonly RowOf<'file'>[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const files = new Map<string, FileChange>();
    for (const { is } of rows) {
      const before = files.get(is.path);
      files.set(is.path, {
        path: is.path,
        change: before?.change === 'added' && is.change === 'modified' ? 'added' : is.change,
        additions: is.additions + (before?.additions ?? 0),
        deletions: is.deletions + (before?.deletions ?? 0),
      });
    }
    const key = `files:${first.key}`;
    for (const row of rows) this.#hiddenBy.set(row.key, key);
    const lastSeq = rows.at(-1)?.lastSeq ?? first.lastSeq;
    this.#push({ kind: 'files', key, seq: first.seq, lastSeq, files: [...files.values()] }, first);
  }

  /** Adds an item, unless its turn or its section is closed. */
  #push(item: Item, row: Row): void {
    if (this.#section !== undefined && row.phase !== this.#section.phase) this.#section = undefined;
    const head = this.#turns.get(row.turn) ?? this.#section?.head;
    if (head === undefined) {
      this.#items.push(item);
      return;
    }
    this.#hiddenBy.set(item.key, head.key);
    if (head.kind === 'row') head.hides += 1;
  }
}
