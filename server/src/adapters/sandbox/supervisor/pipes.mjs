// Pipes for the streams of commands. Node gives a child sockets, and a socket cannot be opened by name, so that
// `echo > /dev/stderr` or `cat /dev/stdin` would fail. Named pipes can; each is used once and loses its name before the
// program starts.
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';

const batch = 64;
let directory = '';
let made = 0;
const pool = [];

function nextNames() {
  return Array.from({ length: batch }, () => `${directory}/${(made += 1)}`);
}

function makeNow() {
  const names = nextNames();
  execFileSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
  pool.push(...names);
}

export function preparePipes(path) {
  directory = path;
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  makeNow();
}

export function openPipe() {
  if (pool.length === 0) makeNow();
  if (pool.length === 8) {
    const names = nextNames();
    execFile('mkfifo', ['-m', '600', ...names], (error) => {
      if (!error) pool.push(...names);
    });
  }
  const path = pool.shift();
  // Opening both ways first never blocks, and keeps the other two from doing so.
  const both = fs.openSync(path, fs.constants.O_RDWR);
  const write = fs.openSync(path, fs.constants.O_WRONLY);
  const read = fs.openSync(path, fs.constants.O_RDONLY);
  fs.closeSync(both);
  fs.unlinkSync(path);
  return { read, write };
}
