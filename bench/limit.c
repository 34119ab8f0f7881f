// The limit of the machine: what it costs to run a command when nothing but the system calls is left.
//
//   limit BATCHES WIDTH PIPE_SIZE SHELL FLAG COMMAND
//   limit kill COUNT SHELL FLAG COMMAND
//
// The second form runs the command COUNT times, kills it after its first output, and prints the times from the
// signal to its end.
//
// Runs WIDTH commands at once, BATCHES times: vfork, exec of the shell, two pipes, poll and read to their end, wait.
// Prints the time of each batch (ms) as a JSON array. The output is read and dropped. PIPE_SIZE is 0 for pipes as they
// are. Much output goes through a large pipe several times faster: in a small one, writer and reader wake each other up
// for every few pages.

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 64 * 1024 };

struct work {
  char **command;
  int width;
  int pipe_size;
  int empty;  // the standard input
};

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

// Starts one command and enters the reading ends of its two pipes.
static pid_t start(const struct work *work, struct pollfd *ends) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) fail("pipe2");
  if (work->pipe_size > 0) fcntl(out[1], F_SETPIPE_SZ, work->pipe_size);
  pid_t child = vfork();
  if (child < 0) fail("vfork");
  if (child == 0) {
    dup2(work->empty, 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    execv(work->command[0], work->command);
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  ends[0] = (struct pollfd){.fd = out[0], .events = POLLIN};
  ends[1] = (struct pollfd){.fd = err[0], .events = POLLIN};
  return child;
}

static void read_all(struct pollfd *ends, int count) {
  static char buffer[READ_SIZE];
  for (int open = count; open > 0;) {
    if (poll(ends, (nfds_t)count, -1) < 0) fail("poll");
    for (int i = 0; i < count; i++) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      ssize_t got = read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0) continue;
      close(ends[i].fd);
      ends[i].fd = -1;  // poll passes over it
      open--;
    }
  }
}

static void run_batch(const struct work *work, struct pollfd *ends, pid_t *children) {
  for (int i = 0; i < work->width; i++) children[i] = start(work, ends + 2 * i);
  read_all(ends, 2 * work->width);
  for (int i = 0; i < work->width; i++) {
    int status;
    if (waitpid(children[i], &status, 0) < 0) fail("waitpid");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fprintf(stderr, "limit: the command failed\n");
      exit(1);
    }
  }
}

// A pause after the first output, in which the shell executes its last command: that of lib/killing.mjs.
static const struct timespec STARTING = {.tv_nsec = 30 * 1000 * 1000};

static double kill_one(const struct work *work) {
  struct pollfd ends[2];
  char first[64];
  pid_t child = start(work, ends);
  if (read(ends[0].fd, first, sizeof first) <= 0) fail("read");
  nanosleep(&STARTING, NULL);
  double begin = now_ms();
  kill(child, SIGTERM);
  read_all(ends, 2);
  if (waitpid(child, NULL, 0) < 0) fail("waitpid");
  return now_ms() - begin;
}

static int kill_each(int count, char **command) {
  struct work work = {.command = command, .empty = open("/dev/null", O_RDONLY | O_CLOEXEC)};
  printf("[");
  for (int i = 0; i < count; i++) printf("%s%.4f", i == 0 ? "" : ",", kill_one(&work));
  printf("]\n");
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 6 && strcmp(argv[1], "kill") == 0) return kill_each(atoi(argv[2]), argv + 3);
  if (argc != 7) {
    fprintf(stderr, "usage: limit BATCHES WIDTH PIPE_SIZE SHELL FLAG COMMAND\n");
    fprintf(stderr, "       limit kill COUNT SHELL FLAG COMMAND\n");
    return 2;
  }
  int batches = atoi(argv[1]);
  char *command[] = {argv[4], argv[5], argv[6], NULL};
  struct work work = {
      .command = command,
      .width = atoi(argv[2]),
      .pipe_size = atoi(argv[3]),
      .empty = open("/dev/null", O_RDONLY | O_CLOEXEC),
  };
  struct pollfd *ends = calloc((size_t)work.width * 2, sizeof *ends);
  pid_t *children = calloc((size_t)work.width, sizeof *children);
  if (work.empty < 0 || ends == NULL || children == NULL) fail("limit");

  printf("[");
  for (int i = 0; i < batches; i++) {
    double begin = now_ms();
    run_batch(&work, ends, children);
    printf("%s%.4f", i == 0 ? "" : ",", now_ms() - begin);
  }
  printf("]\n");
  return 0;
}
