//! Commands that stop, exhaust or open the machine.

use crate::{dangerous, harmless};

#[test]
fn stopping_exhausting_or_opening_the_machine_is_dangerous() {
    dangerous(&[
        ":(){ :|:& };:",
        ":(){ :|: & };:",
        "bomb() { bomb | bomb & }; bomb",
        "f() { f & f & }; f",
        "f(){ f|f& };f",
        "b() { $0 | $0 & }; while true; do b & done; :(){ :|:& };:",
        "shutdown now",
        "shutdown -h now",
        "sudo shutdown -r +1",
        "reboot",
        "sudo reboot -f",
        "halt",
        "poweroff",
        "init 0",
        "telinit 6",
        "systemctl poweroff",
        "systemctl reboot",
        "sudo systemctl halt",
        "kill -9 -1",
        "kill -9 1",
        "kill -KILL -1",
        "kill -s KILL -- -1",
        "killall5 -9",
        "pkill -9 -u root",
        "pkill -f .",
        "chmod -R 777 /",
        "chmod -R 777 /*",
        "chmod -R a+rwx /",
        "chmod --recursive 0777 /etc",
        "sudo chmod -R 777 /usr",
        "chmod 777 /etc/shadow",
        "chmod -R 000 /",
        "chown -R ann /",
        "chown -R ann:ann /usr",
        "chmod u+s /bin/bash",
        "chmod 4755 /bin/sh",
        "chmod -R 777 ~",
        "setfacl -R -m u:ann:rwx /",
        "insmod x.ko",
        "sudo insmod ./x.ko",
        "modprobe evil",
        "rmmod ext4",
        "kexec -l x",
        "yes > a",
        "cat /dev/zero > big",
        "cat /dev/urandom > big",
        "dd if=/dev/zero of=big",
        "swapoff -a",
        "while true; do bash -c 'x &' ; done; :(){ :|:& };:",
        "perl -e 'fork while 1'",
        "python3 -c 'import os\nwhile 1: os.fork()'",
        "systemctl isolate rescue.target",
        "while true; do sleep 100 & done",
        "while :; do echo x; bash -c ls & done",
        "for ((;;)); do x & done",
        "for ((i = 0; ; i++)); do x & done",
        "find / -exec chmod 777 {} +",
        "find / -type f -exec chmod a+w {} \\;",
        "chmod -R -x /usr/bin",
        "chmod -x -R /",
        "pkill -9 \"\"",
    ]);
}

#[test]
fn a_message_that_stops_the_machine_is_dangerous() {
    dangerous(&[
        "dbus-send --system --print-reply --dest=org.freedesktop.login1 /org/freedesktop/login1 \
         org.freedesktop.login1.Manager.PowerOff boolean:true",
        "busctl call org.freedesktop.login1 /org/freedesktop/login1 \
         org.freedesktop.login1.Manager Reboot b true",
        "gdbus call --system -d org.freedesktop.login1 -o /org/freedesktop/login1 \
         -m org.freedesktop.login1.Manager.PowerOffWithFlags 0",
        "sudo dbus-send --system --dest=org.freedesktop.systemd1 /org/freedesktop/systemd1 \
         org.freedesktop.systemd1.Manager.Reboot",
        "dbus-send --system --dest=org.freedesktop.ConsoleKit /org/freedesktop/ConsoleKit/Manager \
         org.freedesktop.ConsoleKit.Manager.Stop",
        "systemctl isolate poweroff.target",
        "systemctl isolate reboot.target",
        "systemctl start reboot.target",
        "systemctl --no-block start poweroff.target",
        "echo o > /proc/sysrq-trigger",
        "echo b | sudo tee /proc/sysrq-trigger",
    ]);
    harmless(&[
        "busctl list",
        "busctl call org.freedesktop.login1 /org/freedesktop/login1 \
         org.freedesktop.login1.Manager ListSessions",
        "busctl introspect org.freedesktop.login1 /org/freedesktop/login1",
        "busctl call org.freedesktop.systemd1 /x org.freedesktop.systemd1.Unit Restart s replace",
        "dbus-send --session --dest=org.example /org/example org.example.Player.Stop",
        "systemctl start nginx",
        "systemctl status reboot.target",
        "cat /proc/sysrq-trigger",
    ]);
}

#[test]
fn attributes_of_the_whole_system_and_the_home_of_root_are_protected() {
    dangerous(&[
        "chattr -R +i /",
        "chattr -R -i /etc",
        "setfacl -R -b /",
        "setfacl -Rb /etc",
        "chcon -R -t x /",
        "userdel -r root",
        "sudo userdel -rf root",
        "deluser --remove-home root",
        "deluser --remove-all-files root",
    ]);
    harmless(&[
        "chattr +i /etc/hosts",
        "chattr -R +i build",
        "setfacl -R -m u:ann:rwx build",
        "setfacl -b /etc",
        "chcon -R -t container_file_t data",
        "userdel root",
        "userdel -r test",
        "deluser --remove-home test",
    ]);
}
