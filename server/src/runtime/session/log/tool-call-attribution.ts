/** Returns the id of the tool call that changed a file, `''` if it is not certain; `path` is relative to the workspace. */
export type Attribution = (path: string) => string;

/** Attributes changed files to an agent's tool calls until a checkpoint records them. */
export class ToolCallAttribution {
  /** The last call that wrote, edited or deleted each path. */
  readonly #byPath = new Map<string, string>();
  /** Calls that may have changed any file; true once they ended. */
  readonly #open = new Map<string, boolean>();

  begin(callId: string): void {
    this.#open.set(callId, false);
  }

  /** `files` are the paths that the call changed, relative to the workspace; undefined if unknown. */
  end(callId: string, files: readonly string[] | undefined): void {
    if (!this.#open.has(callId)) return;
    if (files === undefined) this.#open.set(callId, true);
    else this.#open.delete(callId);
    for (const path of files ?? []) this.#byPath.set(path, callId);
  }

  /** Called before a checkpoint is taken. The returned function is called after it, and returns the attribution. */
  take(): () => Attribution {
    const paths = [...this.#byPath];
    const done = [...this.#open].filter(([, hasEnded]) => hasEnded).map(([callId]) => callId);
    return () => {
      const byPath = new Map(this.#byPath);
      const [only, ...others] = this.#open.keys();
      const single = only !== undefined && others.length === 0 ? only : '';
      // A change during the checkpoint may be in this one or the next, so its attribution stays for both.
      for (const [path, callId] of paths) if (this.#byPath.get(path) === callId) this.#byPath.delete(path);
      for (const callId of done) this.#open.delete(callId);
      return (path) => byPath.get(path) ?? single;
    };
  }
}
