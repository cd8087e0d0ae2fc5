import type { Attempt } from '../attempt/attempt.ts';
import { checkOut, openRoom, type Purpose, type Room } from './sandboxes.ts';
import type { Checkout, Workplace } from './checkouts.ts';

/** The commit that a repository is to be checked out at. */
export type CommitOf = (checkout: Checkout) => string;

/** A sandbox for a check that is begun before it is known whether it is needed. Who takes it hears of a failure, nobody else. */
export class RoomAhead {
  readonly #attempt: Attempt;
  readonly #workplace: Workplace;
  readonly #phase: Purpose;
  #room: Promise<Room> | undefined;

  constructor(attempt: Attempt, workplace: Workplace, phase: Purpose) {
    this.#attempt = attempt;
    this.#workplace = workplace;
    this.#phase = phase;
  }

  /** Starts it, with nothing in it. */
  open(): void {
    this.#begin(this.#room ?? openRoom(this.#attempt, this.#workplace, this.#phase));
  }

  /** Checks the repositories out in it; starts it before where nobody did. */
  fill(commitOf: CommitOf): void {
    this.open();
    const opened = this.take();
    if (opened !== undefined)
      this.#begin(opened.then((room) => fillRoom(this.#attempt, this.#workplace, room, commitOf)));
  }

  /** The room, for one use; undefined when none was begun. */
  take(): Promise<Room> | undefined {
    const room = this.#room;
    this.#room = undefined;
    return room;
  }

  /** Gives up a room that nobody took. */
  discard(): void {
    this.take()?.then(
      ({ sandbox }) => this.#attempt.discard(sandbox),
      () => undefined,
    );
  }

  #begin(room: Promise<Room>): void {
    room.catch(() => undefined);
    this.#room = room;
  }
}

export async function fillRoom(attempt: Attempt, workplace: Workplace, room: Room, commitOf: CommitOf): Promise<Room> {
  await Promise.all(workplace.checkouts.map((checkout) => checkOut(attempt, room, checkout, commitOf(checkout))));
  return room;
}
