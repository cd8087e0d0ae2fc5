// The terminal asks for a window before it asks what it is for.
Reflect.set(globalThis, 'window', globalThis);
const terminals = import('@xterm/headless');

export const [columns, scrollback] = [160, 100_000];

self.onmessage = async ({ data }: MessageEvent<string>) => {
  const { Terminal } = await terminals;
  const terminal = new Terminal({ cols: columns, rows: 50, scrollback, allowProposedApi: true, convertEol: true });
  terminal.write(data, () => {
    const { active } = terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; at < active.length; at += 1) {
      const line = active.getLine(at);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text}`);
      else lines.push(text);
    }
    while (lines.at(-1) === '') lines.pop();
    self.postMessage(lines);
  });
};
self.postMessage('ready');
