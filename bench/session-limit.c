// The limit of the machine for a live shell: what a command costs when only the system calls of a session are left.
//
//   session-limit COUNT SHELL
//
// Starts SHELL once, as an interactive shell that reads its commands from a pipe, and runs `:` in it COUNT times: the command in a
// file, its streams in two FIFOs, the report of its end in a third one, then the shell's children and its directory. Prints
// the time of each command (ms) as a JSON array. It checks nothing, has one thread, and shares one processor with the
// shell: a virtual machine takes 20 to 40 us to wake up an idle processor.

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP = 200, PATH_SIZE = 64, LINE_SIZE = 512 };

static char directory[PATH_SIZE] = "/dev/shm/session-limit.XXXXXX";
static const char *const FILES[] = {"command", "out", "err", "report", "function"};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void send_line(int shell, const char *line) {
  if (write(shell, line, strlen(line)) < 0) fail("write");
}

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail(path);
  send_line(file, text);
  close(file);
}

static void read_to_end(int file) {
  char buffer[4096];
  while (read(file, buffer, sizeof buffer) > 0) continue;
  close(file);
}

// Starts the shell in the directory of the session. Returns the end of the pipe that it reads.
static int start(const char *shell, pid_t *pid) {
  int lines[2];
  if (pipe2(lines, O_CLOEXEC) != 0) fail("pipe2");
  int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
  *pid = vfork();
  if (*pid < 0) fail("vfork");
  if (*pid == 0) {
    setsid();
    dup2(lines[0], 0);
    dup2(none, 1);
    dup2(none, 2);
    if (strstr(shell, "bash")) execl(shell, shell, "--norc", "--noprofile", "--noediting", "-i", "-s", NULL);
    if (strstr(shell, "zsh")) execl(shell, shell, "-f", "-i", "-s", NULL);
    execl(shell, shell, "-i", "-s", NULL);
    _exit(127);
  }
  close(lines[0]);
  return lines[1];
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: session-limit COUNT SHELL\n");
    return 2;
  }
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  if (sched_setaffinity(0, sizeof first, &first) != 0) fail("sched_setaffinity");
  int count = atoi(argv[1]);
  const char *shell = argv[2];
  if (mkdtemp(directory) == NULL || chdir(directory) != 0) fail(directory);
  if (mkfifo("out", 0600) != 0 || mkfifo("err", 0600) != 0 || mkfifo("report", 0600) != 0) fail("mkfifo");
  int report = open("report", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  int writer = open("report", O_WRONLY | O_CLOEXEC);  // without a writer, the FIFO would be at its end
  pid_t pid;
  int lines = start(shell, &pid);

  char line[LINE_SIZE];
  const char *command = "\\command . %1$s/command </dev/null >%1$s/out 2>%1$s/err\nreport \"$?\"\n";
  if (strstr(shell, "zsh")) command = "eval \"$(<%1$s/command)\" </dev/null >%1$s/out 2>%1$s/err\nreport \"$?\"\n";
  snprintf(line, sizeof line, "printf '%%s\\0%%s\\0' \"$1\" \"$PWD\" >%s/report; return $1\n", directory);
  if (strstr(shell, "bash")) {
    command = "\\builtin . %1$s/command </dev/null >%1$s/out 2>%1$s/err\n\\builtin . %1$s/function \"$?\"\n";
    write_file("function", line);
    send_line(lines, "PS1= PS2=\n");
  } else {
    send_line(lines, "PS1= PS2=\nreport() {\n");
    send_line(lines, line);
    send_line(lines, "}\n");
  }
  char run[LINE_SIZE], children[PATH_SIZE], cwd[PATH_SIZE];
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(run, sizeof run, command, directory);
  snprintf(children, sizeof children, "/proc/%d/task/%d/children", pid, pid);
  snprintf(cwd, sizeof cwd, "/proc/%d/cwd", pid);

  printf("[");
  for (int i = -WARM_UP; i < count; i++) {
    double begin = now_ms();
    write_file("command", ":");
    int out = open("out", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int err = open("err", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    send_line(lines, run);
    struct pollfd end = {.fd = report, .events = POLLIN};
    if (poll(&end, 1, -1) < 0) fail("poll");
    while (read(report, line, sizeof line) > 0) continue;
    read_to_end(out);
    read_to_end(err);
    struct stat status;
    read_to_end(open(children, O_RDONLY | O_CLOEXEC));
    if (stat(cwd, &status) != 0) fail(cwd);
    if (i >= 0) printf("%s%.4f", i == 0 ? "" : ",", now_ms() - begin);
  }
  printf("]\n");
  close(lines);
  close(writer);
  waitpid(pid, NULL, 0);
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) unlink(FILES[i]);
  rmdir(directory);
  return 0;
}
