// Claims runs of automations whose executor is "external", and runs a command for each, with the prompt as its input.
//   GUILDHALL_URL=https://guildhall.example.com GUILDHALL_KEY=guild_… node executor.mjs sh -c 'my-agent --task -'
// With ONCE=1 it ends when no run is due: for cron, or a scheduled job of a CI service.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const { GUILDHALL_URL: base, GUILDHALL_KEY: key, GUILDHALL_ORG: org = 'default', ONCE: once } = process.env;
const [program, ...args] = process.argv.slice(2);
const claimUrl = `${base}/v3/organizations/${org}/automations/runs/claim`;

// Sends a request again until the server answers it: the same report twice counts once.
async function post(url, token, body) {
  for (let delayMs = 500; ; delayMs = Math.min(delayMs * 2, 15_000)) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text();
      if (response.status < 500 && response.status !== 429)
        return { status: response.status, json: text === '' ? {} : JSON.parse(text) };
      console.error(`${response.status}: ${text}`);
    } catch (error) {
      console.error(String(error));
    }
    await pause(delayMs);
  }
}

async function execute(run) {
  const { fencing_token, attempt_no, callback_url, callback_token } = run;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  let output = '';
  child.stdout.on('data', (part) => (output = (output + part).slice(-4_000)));
  child.stdin.on('error', () => undefined).end(run.prompt);
  // 409: the attempt ended, or another executor has the run. Stop the work and report nothing more.
  let isOver = false;
  const report = async (fields) => {
    const { status, json } = await post(callback_url, callback_token, { fencing_token, attempt_no, ...fields });
    if (status === 200 || isOver) return;
    isOver = true;
    console.error(`${run.id}: ${json.message}`);
    child.kill('SIGKILL');
  };
  const everyMs = Math.max(1_000, (Date.parse(run.lease_expires_at) - Date.now()) / 3);
  const heartbeat = setInterval(() => void report({ status: 'running' }), everyMs);
  const code = await ended;
  clearInterval(heartbeat);
  if (isOver) return;
  if (code === 0) await report({ status: 'succeeded', summary: output });
  else await report({ status: 'failed', summary: output, error_class: 'exit_code', error_message: String(code) });
}

for (;;) {
  const { status, json } = await post(claimUrl, key, { wait_seconds: once ? 0 : 30 });
  if (status === 200) await execute(json.run);
  else if (status !== 204) throw new Error(json.message);
  else if (once) break;
}
