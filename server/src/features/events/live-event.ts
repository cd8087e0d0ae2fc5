/** An event with what decides who sees it, and its frame, which all streams share. */
export interface LiveEvent {
  readonly seq: number;
  readonly type: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly actor: { readonly type: string; readonly id: string };
  readonly data: Readonly<Record<string, unknown>>;
  readonly frame: string;
}
