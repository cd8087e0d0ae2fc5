/** Which tool call is behind a file's change: `path` is below the workspace; `''` where no single call explains it. */
export type Explain = (path: string) => string;

/** What an agent's tool calls say about the files they change, until a checkpoint has them. */
export class ToolCallAttribution {
  /** By path: the call that wrote, edited or deleted it last. */
  readonly #byPath = new Map<string, string>();
  /** Calls that may have changed anything, and whether they have ended. */
  readonly #open = new Map<string, boolean>();

  begin(callId: string): void {
    this.#open.set(callId, false);
  }

  /** `files` are those that the call itself changed, below the workspace; undefined when it cannot say. */
  end(callId: string, files: readonly string[] | undefined): void {
    if (!this.#open.has(callId)) return;
    if (files === undefined) this.#open.set(callId, true);
    else this.#open.delete(callId);
    for (const path of files ?? []) this.#byPath.set(path, callId);
  }

  /** For the checkpoint that is being taken; the answered function says what explains it, once it is taken. */
  take(): () => Explain {
    const paths = [...this.#byPath];
    const done = [...this.#open].filter(([, hasEnded]) => hasEnded).map(([callId]) => callId);
    return () => {
      const byPath = new Map(this.#byPath);
      const [only, ...others] = this.#open.keys();
      const single = only !== undefined && others.length === 0 ? only : '';
      // What comes while it is taken may be in this checkpoint or in the next one.
      for (const [path, callId] of paths) if (this.#byPath.get(path) === callId) this.#byPath.delete(path);
      for (const callId of done) this.#open.delete(callId);
      return (path) => byPath.get(path) ?? single;
    };
  }
}
