# Kills what the jobs of a dead host have left.
#
# The input is the host's table, a line each: number, start time, kind, the numbers of two pipes, and a tag or 0. A leader
# was the host's own child: nobody else could have its number, or that of its group, while the host lived. Its start time
# is 0 if it has just entered itself. All that it has started carry its tag, unless they have taken it off. An escaped
# process is known by number and start time together, and by nothing less.

NF >= 3 {
  listed++
  pid_of[listed] = $1
  start_of[listed] = $2
  kind_of[listed] = $3
  if ($4 > 0) pipes[$4] = $2
  if ($5 > 0) pipes[$5] = $2
  if ($6 > 0) tags[$6] = 1
  has_tags = has_tags || $6 > 0
}

END {
  if (listed) end_all()
}

# Whoever is stopped starts nobody. So they are stopped until nobody new is found, and killed then.
function end_all(  round, unseen) {
  for (round = 0; round < 100; round++) {
    read_table()
    choose_roots()
    find_ours()
    if (round == 0) {
      # Those that are easily found must not start others while the rest is looked for.
      send("STOP")
      find_holders()
    }
    find_tagged()
    find_ours()
    if (!found) {
      # While they were looked for, one may have started the next and ended.
      if (!has_tags || ++unseen == 3) return
      continue
    }
    unseen = 0
    if (has_new() && round < 20) {
      send("STOP")
    } else {
      send("KILL")
      split("", stopped)
      if (round > 4) system("sleep 0.02")
    }
  }
}

# Sets, for every living process: `parent`, `group`, `session`, `started`.
function read_table(  listing, numbers, count, place) {
  split("", parent)
  split("", group)
  split("", session)
  split("", started)
  listing = "cd /proc 2>/dev/null && [ -e self/stat ] && echo [0-9]*"
  if ((listing | getline listing_line) > 0) {
    count = split(listing_line, numbers, " ")
    for (place = 1; place <= count; place++) read_row(numbers[place])
  } else {
    read_rows_of_ps()
  }
  close(listing)
}

function read_row(pid,  file, line, row, fields) {
  file = "/proc/" pid "/stat"
  row = ""
  # A program's name may hold a line break.
  while ((getline line < file) > 0) row = row " " line
  close(file)
  # It may hold a parenthesis too: the last one ends it.
  sub(/^.*\) /, "", row)
  if (split(row, fields, " ") < 20) return
  # The state is that of the first thread. A process can go on without it.
  if ((fields[1] == "Z" || fields[1] == "X") && fields[18] <= 1) return
  parent[pid] = fields[2]
  group[pid] = fields[3]
  session[pid] = fields[4]
  started[pid] = fields[20]
}

# Without /proc (macOS) the session is not to be had, and of the start time only the second.
function read_rows_of_ps(  listing, line, fields) {
  listing = "LC_ALL=C TZ=UTC0 ps -A -o pid= -o ppid= -o pgid= -o stat= -o lstart="
  while ((listing | getline line) > 0) {
    if (split(line, fields, " ") < 9 || fields[4] ~ /^Z/) continue
    parent[fields[1]] = fields[2]
    group[fields[1]] = fields[3]
    session[fields[1]] = 0
    started[fields[1]] = seconds(fields[6], fields[7], fields[8], fields[9]) "s"
  }
  close(listing)
}

# A time such as `Nov 22 05:02:48 2026` in seconds since 1970.
function seconds(month, day, time, year,  parts, days) {
  month = (index("JanFebMarAprMayJunJulAugSepOctNovDec", month) + 2) / 3
  # As if a year began in March: then a leap day is its last one.
  if (month < 3) {
    month += 12
    year--
  }
  days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * month - 457) / 5) + day - 719469
  split(time, parts, ":")
  return days * 86400 + parts[1] * 3600 + parts[2] * 60 + parts[3]
}

# Sets `roots`: the listed numbers that no stranger has now.
function choose_roots(  place, pid, is_same) {
  split("", roots)
  for (place = 1; place <= listed; place++) {
    pid = pid_of[place]
    if (pid in started) {
      # In the table it has microseconds where only the second is told.
      is_same = started[pid] == start_of[place] || started[pid] == int(start_of[place] / 1000000) "s"
      if (is_same || (kind_of[place] == "leader" && start_of[place] == 0)) roots[pid] = 1
    } else if (kind_of[place] == "leader") {
      # It is gone. A group or session that it led is not.
      roots[pid] = 1
    }
  }
}

# Sets `holders`: whoever has a job's output open for writing, and is not older than the job.
function find_holders(  listing, line, fields, pid, number) {
  listing = "ls -l /proc/[0-9]*/fd 2>/dev/null"
  while ((listing | getline line) > 0) {
    if (line ~ /^\/proc\/[0-9]+\/fd:$/) {
      split(line, fields, "/")
      pid = fields[3]
    } else if (line ~ /^l.w/ && match(line, /pipe:\[[0-9]+\]$/)) {
      number = substr(line, RSTART + 6, RLENGTH - 7)
      if ((number in pipes) && (pid in started) && started[pid] + 0 >= pipes[number] + 0) holders[pid] = 1
    }
  }
  close(listing)
}

# Sets `tagged`: whoever carries a listed tag, wherever it has gone. A tag is the soft limit of file locks, which limits
# nothing; no other limit is a number like that.
function find_tagged(  pid, file, line, fields) {
  split("", tagged)
  if (!has_tags) return
  for (pid in started) {
    file = "/proc/" pid "/limits"
    while ((getline line < file) > 0) {
      if (line !~ /^Max file locks/) continue
      split(line, fields, " ")
      if (fields[4] in tags) tagged[pid] = 1
      break
    }
    close(file)
  }
}

# Sets `ours`: the holders, the tagged, the members of the listed groups and sessions, and the descendants of all. `found`
# says how many.
function find_ours(  pid, before) {
  split("", ours)
  found = 0
  for (pid in started) {
    if ((pid in tagged) || (pid in holders) || (pid in roots) || (group[pid] in roots) || (session[pid] in roots)) {
      ours[pid] = 1
      found++
    }
  }
  do {
    before = found
    for (pid in started) {
      if (!(pid in ours) && (parent[pid] in ours)) {
        ours[pid] = 1
        found++
      }
    }
  } while (found > before)
}

function has_new(  pid) {
  for (pid in ours) if (!(pid in stopped)) return 1
  return 0
}

function send(signal,  pid, numbers) {
  numbers = ""
  for (pid in ours) {
    numbers = numbers " " pid
    if (signal == "STOP") stopped[pid] = 1
  }
  if (numbers != "") system("kill -" signal numbers " 2>/dev/null")
}
