//! The structures of macOS's kernel that the `libc` crate lacks, as in `sys/proc_info.h`, its private part,
//! and `sys/sysctl.h`. Their sizes and offsets were compared with Apple's headers by a C compiler.

use std::ffi::{c_int, c_short};
use std::mem::offset_of;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) const PROC_PIDUNIQIDENTIFIERINFO: c_int = 17;
pub(super) const PROC_PIDFDSOCKETINFO: c_int = 3;
pub(super) const PROC_PIDFDPIPEINFO: c_int = 6;

/// The flags in [`ShortRow`] of a process that is exiting, and of one that has executed a program since its
/// fork.
const PROC_FLAG_INEXIT: u32 = 4;
const PROC_FLAG_EXEC: u32 = 0x4000;

/// The flag of a pipe at whose reading end a process sleeps.
const PIPE_WANTS_READER: c_int = 0x8;

/// The flag of a file that is open for writing.
const FWRITE: u32 = 2;

/// The kind of a TCP socket, and the state of one that listens.
pub(in crate::process) const TCP_SOCKET: c_int = 2;
pub(in crate::process) const TCP_LISTENING: c_int = 1;

/// The flag of an internet address of version 4.
const INI_IPV4: u8 = 1;

/// A structure that the kernel fills.
///
/// # Safety
///
/// Every bit pattern must be a valid value.
pub(in crate::process) unsafe trait KernelStruct {}

/// A row of the process table, which needs no rights.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(in crate::process) struct ShortRow(pub(in crate::process) libc::proc_bsdshortinfo);

// SAFETY: it consists of numbers.
unsafe impl KernelStruct for ShortRow {}

impl ShortRow {
    pub(in crate::process) const fn is_zombie(&self) -> bool {
        self.0.pbsi_status == libc::SZOMB
    }

    pub(in crate::process) const fn is_stopped(&self) -> bool {
        self.0.pbsi_status == libc::SSTOP
    }

    /// Returns whether the kernel is tearing the process down.
    pub(in crate::process) const fn is_exiting(&self) -> bool {
        self.0.pbsi_flags & PROC_FLAG_INEXIT != 0
    }

    /// Returns whether the process has executed a program since its fork.
    pub(in crate::process) const fn has_executed(&self) -> bool {
        self.0.pbsi_flags & PROC_FLAG_EXEC != 0
    }
}

/// The unique ids of a process: no process gets the id of an earlier one, and a later one has a larger id.
#[repr(C)]
#[derive(Clone, Copy)]
pub(in crate::process) struct UniqueIds {
    executable: [u8; 16],
    /// The id of the process, which it keeps when it executes a program.
    pub(in crate::process) own: u64,
    /// The id of the process that created this one, also after that has exited.
    pub(in crate::process) creator: u64,
    versions: [i32; 2],
    reserved: [u64; 2],
}

// SAFETY: it consists of numbers.
unsafe impl KernelStruct for UniqueIds {}

/// The file of a descriptor, before the part that depends on its kind.
#[repr(C)]
#[derive(Clone, Copy)]
struct FileInfo {
    open_flags: u32,
    status: u32,
    offset: i64,
    kind: i32,
    guard_flags: u32,
}

/// One end of a pipe.
#[repr(C)]
#[derive(Clone, Copy)]
pub(in crate::process) struct PipeInfo {
    file: FileInfo,
    stat: libc::vinfo_stat,
    /// The kernel's name of this end, the same in all processes.
    pub(in crate::process) handle: u64,
    /// The kernel's name of the other end; 0 when no process has it open.
    pub(in crate::process) peer: u64,
    status: c_int,
    reserved: c_int,
}

// SAFETY: it consists of numbers.
unsafe impl KernelStruct for PipeInfo {}

impl PipeInfo {
    /// Returns whether this is the writing end.
    pub(in crate::process) const fn is_writer(&self) -> bool {
        self.file.open_flags & FWRITE != 0
    }

    /// Returns the number that stands for the pipe: the name of its writing end.
    pub(in crate::process) const fn number(&self) -> u64 {
        if self.is_writer() { self.handle } else { self.peer }
    }

    /// Returns whether a reader sleeps at this reading end, and the pipe is empty. The kernel leaves the mark
    /// of a reader after a read that a signal has interrupted, until the next one.
    pub(in crate::process) const fn is_awaited(&self) -> bool {
        self.status & PIPE_WANTS_READER != 0 && self.stat.vst_size == 0
    }
}

/// A socket. Only the part of a TCP socket is declared.
#[repr(C)]
#[derive(Clone, Copy)]
pub(in crate::process) struct SocketInfo {
    file: FileInfo,
    stat: libc::vinfo_stat,
    /// The kernel's name of the socket, the same in all processes.
    pub(in crate::process) handle: u64,
    protocol_handle: u64,
    numbers: [c_int; 3],
    shorts: [c_short; 8],
    out_of_band: u32,
    buffers: [SocketBuffer; 2],
    pub(in crate::process) kind: c_int,
    reserved: u32,
    tcp: TcpInfo,
    rest: [u64; REST],
}

/// The size of a [`SocketInfo`] (bytes), most of which depends on its kind.
const SOCKET_INFO: usize = 792;
/// The part of the largest kind that is not declared (in numbers of 8 bytes).
const REST: usize = (SOCKET_INFO - 264 - size_of::<TcpInfo>()) / size_of::<u64>();

#[repr(C)]
#[derive(Clone, Copy)]
struct SocketBuffer {
    counts: [u32; 5],
    shorts: [c_short; 2],
}

/// The addresses of an internet socket, and the state of a TCP socket.
#[repr(C)]
#[derive(Clone, Copy)]
struct TcpInfo {
    foreign_port: c_int,
    local_port: c_int,
    generation: u64,
    flags: u32,
    flow: u32,
    version: u8,
    time_to_live: u8,
    reserved: u32,
    foreign_address: [u8; 16],
    local_address: [u8; 16],
    options: [u32; 4],
    state: c_int,
    more: [c_int; 3],
}

// SAFETY: it consists of numbers.
unsafe impl KernelStruct for SocketInfo {}

impl SocketInfo {
    /// Returns the state of a TCP socket.
    pub(in crate::process) const fn state(&self) -> c_int {
        self.tcp.state
    }

    /// Returns the local port and address of an internet socket.
    pub(in crate::process) fn local(&self) -> (u16, IpAddr) {
        let port = u16::from_be(u16::try_from(self.tcp.local_port & 0xffff).unwrap_or_default());
        let address = self.tcp.local_address;
        let [.., a, b, c, d] = address;
        let is_ipv4 = self.tcp.version & INI_IPV4 != 0;
        let ipv4 = || IpAddr::V4(Ipv4Addr::new(a, b, c, d));
        (port, if is_ipv4 { ipv4() } else { IpAddr::V6(Ipv6Addr::from(address)) })
    }
}

/// The threads and the memory of a process.
#[repr(transparent)]
pub(super) struct TaskInfo(pub(super) libc::proc_taskinfo);

// SAFETY: it consists of numbers.
unsafe impl KernelStruct for TaskInfo {}

/// The current directory and the root of a process.
#[repr(transparent)]
pub(super) struct VnodePaths(pub(super) libc::proc_vnodepathinfo);

// SAFETY: it consists of numbers.
unsafe impl KernelStruct for VnodePaths {}

/// The signals that a process ignores, and those that it handles: sets of bits, of which the lowest one is
/// signal 1.
#[repr(C)]
#[derive(Clone, Copy)]
pub(in crate::process) struct SignalSets {
    pub(in crate::process) ignored: u32,
    pub(in crate::process) handled: u32,
}

/// A row of the process table of `sysctl`. Only the ignored signals are declared.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct KinfoProc {
    before: [u64; 29],
    pub(super) signals: SignalSets,
    after: [u64; 51],
}

const _: () = assert!(size_of::<libc::proc_bsdshortinfo>() == 64);
const _: () = assert!(size_of::<UniqueIds>() == 56);
const _: () = assert!(size_of::<PipeInfo>() == 184 && offset_of!(PipeInfo, handle) == 160);
const _: () = assert!(offset_of!(PipeInfo, status) == 176);
const _: () = assert!(size_of::<SocketInfo>() == SOCKET_INFO && offset_of!(SocketInfo, handle) == 160);
const _: () = assert!(offset_of!(SocketInfo, kind) == 256 && offset_of!(SocketInfo, tcp) == 264);
const _: () = assert!(offset_of!(TcpInfo, version) == 24 && offset_of!(TcpInfo, local_address) == 48);
const _: () = assert!(offset_of!(TcpInfo, state) == 80);
const _: () = assert!(size_of::<KinfoProc>() == 648 && offset_of!(KinfoProc, signals) == 232);
