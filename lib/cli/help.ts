const HELP: string = `agent-bash: the native shell tool for TypeScript agents

Usage:
  agent-bash mcp [options]               serve a shell tool to an MCP client, on standard input and output
  agent-bash run [options] -- command    run a command as the package runs it
  agent-bash jobs [ACTION]               list the jobs that outlive their host, read, attach to, wait for and kill them
  agent-bash live [FILE|DIR]             list the live views of yours, or replay a recording on a page
  agent-bash copy FROM TO                copy files to a machine, a container or another target, or from there
  agent-bash call DIALECT --params JSON  make one call of a tool, and print its answer
  agent-bash check [options] -- command  say whether a policy lets a command run, and why
  agent-bash explain CODE                say what an error's code or a status means
  agent-bash probe [options]             report what works on this machine
  agent-bash completion SHELL            print the completion for bash, zsh or fish

  agent-bash COMMAND --help              the options of a command
  agent-bash help TOPIC                  a page of the documentation; without a topic, their names
  agent-bash --version                   the version
`;

const whereWith = (
  shell: string,
) => `  --root DIR             the directory in which working directories must lie
  --cwd DIR              where commands start (default: the root, else the current directory)
  --env KEY[=VALUE]      a variable for commands; without VALUE, its value here; may be repeated
  --no-inherit-env       no other variables than those of --env
  --shell PATH           the shell (default: ${shell})`;

const placeWith = (shell: string) => `${whereWith(shell)}
  --redact-env WHAT      the variables whose values are replaced in output: secrets, those that look secret (default for tools);
                         NAME, this one too; none. May be repeated; see docs/secrets.md
  --sandbox LEVEL        what commands may touch, enforced by the kernel: read-only; workspace-write, the root and a
                         private /tmp; isolated, which reads only that and the system. Needs --root; see docs/sandbox.md
  --network MODE         what commands in a sandbox reach: off (default), loopback (servers of this machine), on
  --allow-host HOST:PORT one more host that commands in a sandbox reach, in place of --network; may be repeated
  --credential NAME=FROM a credential that requests get on their way, while commands have a placeholder. FROM is env:VARIABLE or
                         file:PATH, which is read when it is needed. github, anthropic, openai and gemini know their
                         hosts; for others, --allow-host HOST:PORT=NAME; may be repeated; see docs/credentials.md
  --socket NAME          a UNIX socket of the host that commands in a sandbox may connect to: ssh-agent, gpg-agent, docker (root on
                         the host), or a path; may be repeated
  --on-unavailable MODE  where this machine lacks parts of the sandbox: fail (default), or weaker: commands run without them
  --target TARGET        where commands run: container:IMAGE, with --root as /workspace; name:NAME, a container that runs;
                         ssh:HOST; compose:SERVICE; pod:NAME or pod:LABEL=VALUE; devcontainer:FOLDER;
                         exec:'WORDS'. See docs/targets.md
  --engine WORDS         the container engine, such as docker (default: podman, else docker)
  --limit-memory SIZE    address space of each process, such as 2G
  --limit-cpu TIME       processor time of each process, such as 10m
  --limit-processes N    processes of this user
  --tree-memory SIZE     memory of all processes of a command together, such as 2G; see docs/limits.md
  --tree-processes N     processes of a command
  --tree-cpus N          processors of a command, such as 1.5`;

const DETAILS: Record<string, string> = {
  mcp: `Usage: agent-bash mcp [options]

Serves a shell tool to a client of the Model Context Protocol (stdio). The server and its jobs end when its standard
input ends; with --durable, jobs that the model has started run on.

  --mode MODE            ask (default): the client asks the user before a command that no rule allows and that is no known
                         query such as ls (elicitation); a client that can't ask gets a denial. auto: commands run without
                         asking. Both modes deny dangerous commands and those of --deny
  --allow RULE           commands that run without asking, such as 'Bash(npm test)' or 'Bash(git log:*)'; may be repeated
  --ask RULE             commands about which --mode ask asks in spite of --allow; may be repeated
  --ask-connect          with --sandbox: the client asks the user about each host that --allow-host does not name, while the
                         command waits
  --ask-prompts          the client asks the user what programs such as git and ssh ask, except for passwords, for which MCP has
                         no forms (Linux)
  --escalate MODE        with --sandbox: never (default), or ask: the model may ask for more than the sandbox gives, and the
                         client asks the user, in both modes
  --deny RULE            commands that never run, such as 'Bash(git push:*)'; may be repeated. See docs/permissions.md
  --dialect NAME         the tool's interface (default bash, with bash_output, bash_read, bash_write, bash_kill and
                         bash_list); see docs/tools.md for the others
  --session MODE         the state of the shell that calls keep: none, cwd, carry, live (default: the dialect's)

  --yield TIME           when a call answers while its command goes on as a job (default 45s; 0: never). Most clients give
                         up after 60s
  --timeout TIME         how long a command may take (default 10m; 0: no limit)
  --max-timeout TIME     the most that the model may ask for (default 1h)
  --jobs N               how many jobs may run at the same time (default 15)
  --durable              jobs that the model starts outlive the server, and the next one finds them; see docs/durable-jobs.md
  --max-output N         how much output the model reads (bytes or characters, as the dialect counts; default 30000)
  --minimize             leave out passed tests, progress and what was built: lines that no model needs, with markers
  --structured-content M text (default): structured content has the text and the facts; full: the streams too; none: no
                         structured content

${placeWith("the dialect's, such as bash")}

  --audit FILE           append each call, decision, result and end of a job to a file, as lines of JSON
  --record PATH          record what the commands do, for asciinema: a new file, or a directory (with a slash at its end)
                         with a file for each command. The recordings may have secrets
  --live                 show what the commands do on a page of this machine, whose URL goes to standard error; agent-bash
                         live lists it
  --live-port N          the page's port (default: any that is free)
  --live-open            open the page in the browser
  --live-control WHAT    what the page may do: none (default), look; approve, answer questions, which go to the client
                         while no page is open; all, also end commands, type into them and resize them
  --name NAME            the server's name (default agent-bash)
  --verbose              log errors of the protocol to standard error
  --print-config CLIENT  print the configuration for claude, cursor, vscode, codex or gemini, with the other options given,
                         and end

Times are such as 500ms, 45s, 10m or 1h. Sizes are bytes, or such as 64K, 512M or 2G.
`,
  run: `Usage: agent-bash run [options] -- command

Runs one command and exits with its exit code. A shell reads a command of one word ('npm test | tail'); several words are
a program and its arguments, without a shell. The command reads standard input, unless that is a terminal (see --pty);
it has none with < /dev/null.

  --timeout TIME         end the command after this time (exit code 124)
  --idle-timeout TIME    end it when it writes nothing for this time (exit code 124)
  --json                 print the result as JSON, in place of the output
  --minimize             print the output at the end, without passed tests, progress and what was built; the last line
                         names a file with all of it
  --max-output SIZE      how much of each stream is in the result of --json (default 1M); with --minimize, how much is
                         printed (default 16000)
  --merge                both streams as one, in the order in which they were written
  --strip-ansi           output as a terminal would show it
  --non-interactive      variables that keep programs from asking and paging
  --pty                  run it in a terminal, for programs that ask, draw or colour: keys and sizes are passed on, and its
                         screen is shown. Without a terminal here, its output is passed on
                         Without --pty, what sudo -A, ssh and git ask is asked at this terminal (Linux)
  --escape MODE          with --pty, what the Escape key does: send (default), it goes to the program; kill, it ends the
                         command; auto, it ends a command that does not show a full screen
  --record PATH          record what the command does, for asciinema: a new file, or a directory (with a slash at its end)
  --overlay              keep what the command changes in the root (default: here) apart, show it on standard error as a
                         diff, and ask whether to apply it; in the sandbox workspace-write. See docs/overlays.md
  --yes                  with --overlay: apply it without asking if the command has succeeded. Without a terminal, nothing
                         else applies it

${placeWith('bash, else sh')}

Exit codes: that of the command; 128 and the signal's number; 124 after a timeout; 127 if it could not be started; 2 for a
wrong command line; 1 if changes of --overlay could not be applied. Ctrl-C ends the command and everything that it has started.

Times are such as 500ms, 45s, 10m or 1h. Sizes are bytes, or such as 64K, 512M or 2G.
`,
  jobs: `Usage: agent-bash jobs [list] [--all] [--json]
       agent-bash jobs read ID [--since N] [--follow]
       agent-bash jobs attach ID | wait ID | write ID TEXT | kill ID|--all | sweep

The durable jobs of this user, which outlive the process that started them. An ID may also be the name of a running job.

  list                   what runs; with --all, also what has ended
  read                   the output that is kept; --since N: from this offset (bytes); --follow: until the end of the job
  attach                 shows the job's terminal here, or passes on its output and what is typed. Ctrl-] detaches (behind it
                         Enter, where the job has no terminal), and so does Ctrl-C where it is not the job's
  wait                   waits for the end, and exits as the job
  write                  types a text and Enter; --no-enter: the text alone
  kill                   ends the job, and waits for its end; --signal NAME: by this signal (default SIGTERM). SIGKILL follows
                         after 5s. The job gets signals that do not end programs, such as SIGUSR1, and goes on
  sweep                  removes what has ended too long ago

  --all                  with list, ended jobs too; with kill, all jobs that run
  --json                 print the list as JSON
  --directory DIR        the directory of the jobs (default: $XDG_STATE_HOME/agent-bash/jobs, or ~/.local/state/agent-bash/jobs)

Exit codes: 0; that of the job for wait and attach; 1 for a job that there is not, that takes no input or was lost; 2 for a wrong
command line.
`,
  live: `Usage: agent-bash live [options]
       agent-bash live [options] FILE|DIR

Without a file, lists the live views of this user that listen now, each with a URL by which one can look. With one, plays a
recording of --record, or all those of a directory, on a page, until Ctrl-C.

  --port N               the page's port (default: any that is free)
  --open                 open the page in the browser
  --json                 print the list as JSON

Exit codes: 0; 2 for a wrong command line, a file that is no recording, and a port in use.
`,
  copy: `Usage: agent-bash copy --target TARGET [options] FROM TO

Copies a file or a directory of this machine to a target, or from there. A path of the target has ':' before it; a relative one
is below the directory in which commands start there. TO names the copy; with a slash at its end, it is the directory that gets
the copy under the name of FROM. A directory that is there keeps its other entries. See docs/target-files.md

  agent-bash copy --target ssh:build dist :/srv/app
  agent-bash copy --target name:web :/var/log/app.log ./

  --target TARGET        container:IMAGE, name:NAME, ssh:HOST, compose:SERVICE, pod:NAME, pod:LABEL=VALUE, devcontainer:FOLDER
                         or exec:'WORDS'. See docs/targets.md
  --engine WORDS         the container engine, such as docker (default: podman, else docker)
  --json                 print the report as JSON
  --quiet, -q            show no progress, which only a terminal gets

After a lost connection, the copy connects again and goes on. If that fails, the same command goes on later where it was.

Exit codes: 0; 1 if the copy failed, or left out pipes, sockets and devices; 128 and the signal's number after Ctrl-C; 2 for a wrong
command line.
`,
  call: `Usage: agent-bash call DIALECT --params JSON [options]

Makes one call of a dialect's main tool and prints the text of its answer, for hosts that start their tools as programs.
docs/tools.md names the dialects and their arguments.

  --params JSON          the arguments of the call, a JSON object; - reads it from standard input
  --compat WHAT          where the answer is the original's though ours is better, such as json or timeout; all: everywhere

${placeWith("the dialect's")}

agent-bash --params JSON --project-path DIR is the command line of rye-os's bash.py: call rye --compat json --root DIR.

Exit codes: 0 if an answer was printed, whatever it says; 2 for a wrong command line, as for params that are no JSON object.
`,
  check: `Usage: agent-bash check [options] -- command

Says whether a policy lets a command run, and why, without running it. A command of one word is for a shell; several words
are a program and its arguments. Known queries such as ls need no rule.

  --mode MODE            the verdict on a command that no rule matches: default (ask), acceptEdits (ask), bypassPermissions
                         (allow), dontAsk (deny), strict (deny), readOnly. See docs/permissions.md
  --allow RULE           commands that run, such as 'Bash(npm test)' or 'Bash(git log:*)'; may be repeated
  --ask RULE             commands that need an approval; may be repeated
  --deny RULE            commands that never run; may be repeated
  --json                 print the decision as JSON

${whereWith('bash, else sh')}

Exit codes: 0 allow, 3 ask, 4 deny; 2 for a wrong command line.
`,
  completion: `Usage: agent-bash completion bash|zsh|fish

Prints a script that completes the commands and options of agent-bash in a shell:

  source <(agent-bash completion bash)   in ~/.bashrc
  source <(agent-bash completion zsh)    in ~/.zshrc, after compinit
  agent-bash completion fish | source    in ~/.config/fish/config.fish

  --help                 this text
`,
  explain: `Usage: agent-bash explain CODE …

Says what the code of an error means, such as CWD_MISSING, or a status such as idleTimeout, and what to do: what the pages of
the documentation say about it, and their names.

  --help                 this text
`,
  probe: `Usage: agent-bash probe [options]

Reports what works on this machine: the shell, the time of a command, the guardian that ends commands when
Node.js is killed, the sandboxes with what they lack and why, and which SDKs with an adapter the project here has. Exits
with 1 if commands do not work.

  --target TARGET        report on a target instead: container:IMAGE, name:NAME, ssh:HOST, compose:SERVICE,
                         pod:NAME, pod:LABEL=VALUE, devcontainer:FOLDER or exec:'WORDS'
  --engine WORDS         the container engine, such as docker (default: podman, else docker)
  --json                 print it as JSON
`,
};

function helpOf(command: string): string {
  return DETAILS[command];
}

/** Returns the line that names the command which explains a code. */
function explainHint(code: string): string {
  return `Try 'agent-bash explain ${code}'.\n`;
}

export { explainHint, HELP, helpOf };
