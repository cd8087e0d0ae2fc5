// Claims runs of automations whose executor is "external", and runs a command for each, with the prompt as its input.
//   GUILDHALL_URL=https://guildhall.example.com GUILDHALL_KEY=guild_… node executor.mjs sh -c 'my-agent --task -'
// With ONCE=1 it ends when no run is due: for cron, or a scheduled job of a CI service.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const { GUILDHALL_URL: base, GUILDHALL_KEY: key, GUILDHALL_ORG: org = 'default', ONCE: once } = process.env;
const [program, ...args] = process.argv.slice(2);
if (!base || !key || !program) giveUp('Set GUILDHALL_URL and GUILDHALL_KEY, and name a command.');

function giveUp(problem) {
  console.error(problem);
  process.exit(1);
}

// Sends a request again until the server answers it: the same report twice counts once.
async function post(url, token, body) {
  for (let delayMs = 500; ; delayMs = Math.min(delayMs * 2, 15_000)) {
    try {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(60_000);
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
      const text = await response.text();
      if (response.status < 500 && response.status !== 429)
        return { status: response.status, json: text === '' ? {} : JSON.parse(text) };
      console.error(`${response.status}: ${text}`);
    } catch (error) {
      // The reason that the server cannot be reached is in the cause.
      console.error(`${url}: ${error.cause?.message || error.message}`);
    }
    await pause(delayMs);
  }
}

async function execute({ id, prompt, fencing_token, attempt_no, lease_expires_at, callback_url, callback_token }) {
  const report = (fields) => post(callback_url, callback_token, { fencing_token, attempt_no, ...fields });
  // In a process group of its own, so that everything it started can be stopped.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const stop = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  process.once('exit', stop);
  const ended = new AbortController();
  const result = new Promise((resolve) =>
    child.once('error', resolve).once('close', (code, signal) => resolve(code ?? signal)),
  );
  let output = '';
  child.stdout.on('data', (part) => (output = (output + part).slice(-4_000)));
  child.stdin.on('error', () => undefined).end(prompt);
  let lost = '';
  const everyMs = Math.max(1_000, (Date.parse(lease_expires_at) - Date.now()) / 3);
  const heartbeats = async () => {
    while (lost === '') {
      await pause(everyMs, undefined, { signal: ended.signal });
      const { status, json } = await report({ status: 'running' });
      if (ended.signal.aborted) return;
      // 409: the attempt ended, or another executor has the run. Stop the work and publish nothing.
      if (status !== 200) lost = json.message ?? `The server answered ${status}.`;
    }
    stop();
  };
  heartbeats().catch(() => undefined);
  const code = await result;
  ended.abort();
  process.off('exit', stop);
  if (lost === '') {
    const end =
      code === 0 ? { status: 'succeeded' } : { status: 'failed', error_class: 'exit_code', error_message: `${code}` };
    const { status, json } = await report({ ...end, summary: output });
    if (status !== 200) lost = json.message;
  }
  console.error(`${id}, attempt ${attempt_no}: ${lost === '' ? `ended with ${code}` : lost}`);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
for (;;) {
  const claim = `${base}/v3/organizations/${org}/automations/runs/claim`;
  const { status, json } = await post(claim, key, { wait_seconds: once ? 0 : 30 });
  if (status === 200) await execute(json.run);
  else if (status !== 204) giveUp(json.message);
  else if (once) break;
}
