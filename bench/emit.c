// Writes output as fast as a program can, so that a sample shows the reader and not the writer.
//
//   emit ascii BYTES WRITE_SIZE   lines of 80 characters
//   emit wide BYTES WRITE_SIZE    characters of 3 bytes, which no write boundary respects
//   emit lines COUNT              one line of 32 bytes in each write, as an unbuffered program does it

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_all(const char *from, size_t length) {
  while (length > 0) {
    ssize_t written = write(1, from, length);
    if (written < 0) exit(1);
    from += written;
    length -= (size_t)written;
  }
}

// The text repeats every `period` bytes, so one buffer that is a period longer than a write has every part of it.
static void emit(const char *unit, size_t period, size_t bytes, size_t write_size) {
  char *buffer = malloc(write_size + period);
  if (buffer == NULL) exit(1);
  for (size_t i = 0; i < write_size + period; i++) buffer[i] = unit[i % period];
  for (size_t done = 0; done < bytes;) {
    size_t length = bytes - done < write_size ? bytes - done : write_size;
    write_all(buffer + done % period, length);
    done += length;
  }
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "lines") == 0) {
    long count = atol(argv[2]);
    for (long i = 0; i < count; i++) {
      char line[64];
      int length = snprintf(line, sizeof line, "line %08ld of the test is here\n", i);
      write_all(line, (size_t)length);
    }
    return 0;
  }
  if (argc != 4) return 2;
  size_t bytes = strtoull(argv[2], NULL, 10);
  size_t write_size = strtoull(argv[3], NULL, 10);
  if (strcmp(argv[1], "wide") == 0) {
    emit("\xe8\xaa\x9e", 3, bytes, write_size);
  } else {
    char line[80];
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    emit(line, sizeof line, bytes, write_size);
  }
  return 0;
}
