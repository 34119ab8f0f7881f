import type { InputWait } from '../../index.js';

/** A command, and what it comes to wait for: `null` for one that never waits for its input. */
export interface Program {
  command: string;
  kind: InputWait['kind'] | null;
  /** The name of the program that waits. */
  program?: string;
  /** A text that the prompt contains. */
  prompt?: string;
  /** The program, if it may not be installed. */
  needs?: readonly string[];
  /** The first input: one piece at each wait. */
  typed?: readonly string[];
}

const PYTHON = 'python3 -c';
const NODE = `${JSON.stringify(process.execPath)} -e`;

/** Programs that wait at a terminal. */
export const WAITING: readonly Program[] = [
  { command: 'bash -c \'read -p "Name: " name\'', kind: 'line', program: 'bash', prompt: 'Name:' },
  { command: 'bash -c \'read -s -p "Secret: " s\'', kind: 'password', program: 'bash', prompt: 'Secret:' },
  { command: 'bash -c \'read -n1 -p "Go on? " key\'', kind: 'keys', program: 'bash', prompt: 'Go on?' },
  { command: "bash -c 'select x in a b; do break; done'", kind: 'line', program: 'bash', prompt: '#?' },
  { command: 'dash -c \'printf "Name: "; read name\'', kind: 'line', program: 'dash', prompt: 'Name:' },
  { command: "sleep 0.2; printf 'Sure? '; read answer", kind: 'line', prompt: 'Sure?' },
  { command: "bash -c 'read -t 60 x'", kind: 'line', program: 'bash' },
  { command: `${PYTHON} 'input("Name: ")'`, kind: 'line', program: 'python3', prompt: 'Name:' },
  { command: `${PYTHON} 'import getpass; getpass.getpass()'`, kind: 'password', prompt: 'Password:' },
  { command: `${PYTHON} 'import sys; sys.stdin.read()'`, kind: 'line' },
  {
    command: `${PYTHON} 'import threading; t = threading.Thread(target=input, args=("In a thread: ",)); t.start(); t.join()'`,
    kind: 'line',
    prompt: 'In a thread:',
  },
  {
    command: `${PYTHON} 'import asyncio, sys
async def main():
    loop = asyncio.get_running_loop()
    loop.add_reader(0, sys.stdin.readline)
    await asyncio.sleep(1000)
asyncio.run(main())'`,
    kind: 'line',
  },
  { command: `${PYTHON} 'import select, sys; select.select([sys.stdin], [], [])'`, kind: 'line' },
  { command: `${PYTHON} 'import select, sys; select.select([0], [], [], 300)'`, kind: 'line' },
  {
    command: `${PYTHON} 'import select; p = select.poll(); p.register(0, select.POLLIN); p.poll(300000)'`,
    kind: 'line',
  },
  { command: `${PYTHON} 'import pdb; pdb.set_trace(); print(1)'`, kind: 'keys', prompt: '(Pdb)' },
  { command: 'python3 -q', kind: 'keys', program: 'python3', prompt: '>>>' },
  { command: 'python3 -q', kind: 'keys', prompt: '>>>', typed: ['1 + 1\r'] },
  { command: `${JSON.stringify(process.execPath)} -i`, kind: 'keys', program: 'node', prompt: '>' },
  {
    command: `${NODE} 'require("readline").createInterface(process.stdin, process.stdout).question("Name? ", () => {})'`,
    kind: 'keys',
    program: 'node',
    prompt: 'Name?',
  },
  { command: `${NODE} 'process.stdin.on("data", () => {})'`, kind: 'line', program: 'node' },
  { command: `${NODE} 'require("fs").readSync(0, Buffer.alloc(9))'`, kind: 'line', program: 'node' },
  {
    command: `${NODE} 'process.stdout.write("Name? "); process.stdin.on("data", () => process.stdout.write("And? "))'`,
    kind: 'line',
    prompt: 'And?',
    typed: ['a\r'],
  },
  { command: 'npm init', kind: 'keys', program: 'npm', prompt: 'package name' },
  {
    command: 'perl -e \'print "Name: "; $| = 1; print ""; <STDIN>\'',
    kind: 'line',
    program: 'perl',
    needs: ['perl'],
  },
  { command: 'cat', kind: 'line', program: 'cat' },
  { command: 'cat', kind: 'line', program: 'cat', typed: ['one\r', 'two\r'] },
  { command: 'cat | cat', kind: 'line', program: 'cat' },
  { command: 'cat >/dev/null', kind: 'line', program: 'cat' },
  { command: 'grep x', kind: 'line', program: 'grep' },
  { command: 'sort', kind: 'line', program: 'sort' },
  { command: 'sh -i', kind: 'line', program: 'sh' },
  { command: 'bash --norc -i', kind: 'keys', program: 'bash', needs: ['bash'] },
  { command: 'zsh -f -i', kind: 'keys', program: 'zsh', needs: ['zsh'] },
  { command: 'touch f; rm -i f', kind: 'line', program: 'rm', prompt: 'remove' },
  { command: 'touch a b; cp -i a b', kind: 'line', program: 'cp', prompt: 'overwrite' },
  { command: 'seq 1000 | less', kind: 'keys', program: 'less', needs: ['less'] },
  { command: 'seq 1000 >n; more n', kind: 'keys', program: 'more', needs: ['more'] },
  { command: 'vim -u NONE', kind: 'keys', program: 'vim', needs: ['vim'] },
  { command: 'nano', kind: 'keys', program: 'nano', needs: ['nano'] },
  { command: 'top', kind: 'keys', program: 'top', needs: ['top'] },
  { command: 'htop', kind: 'keys', program: 'htop', needs: ['htop'] },
  { command: 'ed', kind: 'line', program: 'ed', needs: ['ed'] },
  { command: 'bc -q', kind: 'keys', program: 'bc', needs: ['bc'] },
  { command: 'sqlite3', kind: 'keys', program: 'sqlite3', needs: ['sqlite3'] },
  { command: 'gdb -q -nx', kind: 'keys', program: 'gdb', needs: ['gdb'] },
  { command: 'dialog --yesno Sure? 7 40', kind: 'keys', program: 'dialog', needs: ['dialog'] },
  { command: 'whiptail --yesno Sure? 7 40', kind: 'keys', program: 'whiptail', needs: ['whiptail'] },
  { command: 'seq 100 | fzf', kind: 'keys', program: 'fzf', needs: ['fzf'] },
  {
    command: 'ssh-keygen -t ed25519',
    kind: 'line',
    program: 'ssh-keygen',
    prompt: 'file',
    needs: ['ssh-keygen'],
  },
  {
    command: 'openssl genrsa -aes128 2048',
    kind: 'password',
    program: 'openssl',
    prompt: 'pass phrase',
    needs: ['openssl'],
  },
  {
    command: 'passwd root',
    kind: 'password',
    program: 'passwd',
    prompt: 'password:',
    needs: ['passwd', 'root'],
  },
  {
    command:
      'git init -q . && echo 1 >f && git add f && git -c user.name=a -c user.email=a commit -qm a && echo 2 >f && git add -p',
    kind: 'line',
    program: 'git',
    prompt: 'Stage this hunk',
    needs: ['git'],
  },
  {
    command:
      'git init -q . && echo 1 >f && git add f && GIT_EDITOR="vim -u NONE" git -c user.name=a -c user.email=a commit',
    kind: 'keys',
    program: 'vim',
    needs: ['git', 'vim'],
  },
  { command: 'zsh -fc \'read -k 1 "x?Key: "\'', kind: 'keys', prompt: 'Key:', needs: ['zsh'] },
  { command: 'zsh -fc \'read -s "x?Secret: "\'', kind: 'password', prompt: 'Secret:', needs: ['zsh'] },
  { command: 'bash -c \'read -e -p "Edit: " x\'', kind: 'keys', prompt: 'Edit:' },
  { command: 'cat </dev/tty', kind: 'line', program: 'cat' },
  { command: "bash -c 'exec 7</dev/tty; read -u 7 x' </dev/null", kind: 'line', program: 'bash' },
  { command: 'bash --norc -i', kind: 'line', program: 'cat', typed: ['cat\r'] },
  { command: 'timeout --foreground 100 cat', kind: 'line', program: 'cat' },
  { command: 'setsid -w cat', kind: 'line', program: 'cat' },
  { command: `${PYTHON} 'import pty; pty.spawn("cat")'`, kind: 'keys', program: 'python3' },
  { command: `${PYTHON} 'import curses; curses.wrapper(lambda s: s.getch())'`, kind: 'keys' },
  {
    command: `${PYTHON} 'import os, sys, time\nif os.fork(): time.sleep(1000)\nelse: sys.stdin.readline()'`,
    kind: 'line',
  },
  {
    command: `${NODE} 'new (require("worker_threads").Worker)("require(\\"fs\\").readSync(0, Buffer.alloc(9))", { eval: true })'`,
    kind: 'line',
    program: 'node',
  },
  {
    command: `${NODE} 'require("child_process").spawn("cat", { stdio: "inherit" })'`,
    kind: 'line',
    program: 'cat',
  },
  { command: 'openssl passwd', kind: 'password', prompt: 'Password', needs: ['openssl'] },
  { command: "su nobody -s /bin/sh -c 'su'", kind: 'password', prompt: 'Password', needs: ['su', 'root'] },
  { command: 'tmux -L agent-bash-test -f /dev/null new', kind: 'keys', needs: ['tmux'] },
];

/** Programs that never wait for their input, though they are silent. */
export const BUSY: readonly Program[] = [
  'sleep 1000',
  'while :; do :; done',
  'while :; do echo tick; sleep 0.2; done',
  'while :; do sleep 0.3; done',
  'sleep 1000 | cat',
  'sleep 1000 & wait',
  'tail -f /dev/null',
  'mkfifo pipe; cat pipe',
  'cat </dev/zero >/dev/null',
  'yes >/dev/null',
  'sort </dev/zero | head -c 1 >/dev/null',
  'flock lock sleep 1000',
  "printf 'all: ;sleep 1000\\n' >Makefile; make",
  'bash -c "sleep 1000; :"',
  'bash -c "read -t 0 x; sleep 1000"',
  'bash -c "kill -STOP \\$\\$"',
  // timeout has put it into the background, where reading stops it.
  'timeout 1000 cat',
  'stty -echo; sleep 1000',
  'stty raw; sleep 1000',
  'mkfifo pipe; read x <pipe',
  'bash -c "cat <(sleep 1000)"',
  `${PYTHON} 'import select; p = select.poll(); p.register(0, select.POLLERR); p.poll(1000000)'`,
  `${PYTHON} 'import select, time\nwhile 1: select.select([0], [], [], 0); time.sleep(0.05)'`,
  `${NODE} 'process.stdin.on("data", () => {}); process.stdin.pause(); setTimeout(() => {}, 1e6)'`,
  `${NODE} 'require("child_process").spawn("cat")'`,
  '(sleep 0.3; cat <&3) 3<&0 </dev/null & sleep 1000',
  `${PYTHON} 'import time; print("Working: ", end="", flush=True); time.sleep(1000)'`,
  `${PYTHON} 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); s.accept()'`,
  `python3 -m http.server 0`,
  `${PYTHON} 'import threading; threading.Event().wait()'`,
  `${PYTHON} 'import subprocess; subprocess.run(["sleep", "1000"])'`,
  `${PYTHON} 'import os; r, w = os.pipe(); os.read(r, 1)'`,
  `${PYTHON} 'import asyncio; asyncio.run(asyncio.sleep(1000))'`,
  `${NODE} 'setInterval(() => {}, 1000)'`,
  `${NODE} 'require("http").createServer().listen(0)'`,
  `${NODE} 'require("child_process").execFile("sleep", ["1000"])'`,
  // The program has got its answer, and libuv still has the terminal in its epoll set.
  `${NODE} 'const i = require("readline").createInterface({ input: process.stdin }); i.once("line", () => { i.close(); setTimeout(() => {}, 1e6); })'`,
].map((command) => ({
  command,
  kind: null,
  ...(command.includes('readline') ? { typed: ['answer\r'] } : {}),
  ...(command.endsWith('; make') ? { needs: ['make'] } : {}),
}));

/** A server that also takes keys: `waiting()` reports it, and no event does. */
export const SERVER_WITH_KEYS = `${NODE} 'process.stdin.setRawMode(true); process.stdin.on("data", () => {}); require("http").createServer().listen(0, () => console.log("listening"))'`;

/** Programs whose standard input is a pipe. */
export const PIPED: readonly Program[] = [
  { command: 'cat', kind: 'pipe', program: 'cat' },
  { command: 'cat', kind: 'pipe', program: 'cat', typed: ['one\n'] },
  { command: 'printf "Name: "; read name', kind: 'pipe', prompt: 'Name:' },
  { command: `${PYTHON} 'input("Name: ")'`, kind: 'pipe', program: 'python3', prompt: 'Name:' },
  { command: `${NODE} 'process.stdin.on("data", () => {})'`, kind: 'pipe', program: 'node' },
  {
    command: `${PYTHON} 'import ctypes; ctypes.CDLL(None).splice(0, None, 1, None, 9, 0)' | cat`,
    kind: 'pipe',
    program: 'python3',
  },
  { command: 'bash', kind: 'pipe', program: 'bash', typed: ['echo hello\n'], needs: ['bash'] },
  { command: 'sleep 1000', kind: null },
  { command: 'cat </dev/null; sleep 1000', kind: null },
  { command: 'exec </dev/null; sleep 1000 | cat', kind: null },
  { command: `${PYTHON} 'import time; time.sleep(1000)'`, kind: null },
];
