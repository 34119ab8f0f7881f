//! Carries out `connect`, `bind` and `listen`, or refuses them. `renames` has those of directories.
//!
//! The init copies the address, duplicates the socket, decides, and makes the call itself with its copies. So
//! the command can't change the arguments after the decision (TOCTOU).

use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use rustix::fs::{StatVfsMountFlags, fstat, fstatvfs};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, connect, getsockname, listen, sockopt};

use super::super::failure::check;
use super::super::input::send;
use super::super::mounts::{MountView, OpenLayer};
use super::address::{Address, MAX_ADDRESS, loopback_peer, loopback_server};
use super::caller::Caller;
use super::renames;
use super::unix_paths::{connect_to, is_socket, open_as, path_of};
use crate::sandbox::network::allow::{AllowedDestination, position_of};
use crate::sandbox::plan::sockets::SocketIdentity;
use crate::sandbox::plan::{NetworkMode, SandboxPlan};
use crate::sandbox::protocol::inside::{is_inside, listener_of, stand_in};
use crate::sandbox::protocol::report::{HelperReport, RefusalReason, SandboxRefusal};

/// A directory that is private to the sandbox, besides the places of the plan.
const SHARED_MEMORY: &str = "/dev/shm";

/// The answer of the init to a system call that the kernel has handed to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallAnswer {
    /// The init has carried the call out.
    Done,
    /// The call fails with this error.
    Fail(i32),
    /// The kernel carries the call out for the caller.
    Continue,
}

impl From<rustix::io::Result<()>> for CallAnswer {
    fn from(result: rustix::io::Result<()>) -> Self {
        match result {
            Ok(()) => Self::Done,
            Err(error) => Self::Fail(error.raw_os_error()),
        }
    }
}

/// Decides about calls by the plan.
pub(super) struct Broker<'a> {
    network: NetworkMode,
    allowed: Vec<AllowedDestination>,
    /// The ports of allowed hosts.
    ports: Vec<u16>,
    /// The paths of the plan's places.
    places: Vec<PathBuf>,
    layers: &'a [OpenLayer],
    /// The sockets of the host that can be connected to.
    sockets: Vec<SocketIdentity>,
    control: BorrowedFd<'a>,
}

impl<'a> Broker<'a> {
    pub(super) fn new(plan: &SandboxPlan, view: &'a MountView, control: BorrowedFd<'a>) -> Self {
        let places = plan.places.iter().map(|place| place.path.clone()).collect();
        let ports = plan.listened_ports();
        let sockets = plan.sockets.iter().map(|socket| socket.identity).collect();
        Self {
            network: plan.network,
            allowed: plan.allowed.clone(),
            ports,
            places,
            layers: &view.layers,
            sockets,
            control,
        }
    }

    /// Decides about a call. `is_valid` tells whether the caller still waits, so that what was read of it is
    /// its own.
    pub(super) fn decide(
        &self,
        call: &libc::seccomp_data,
        caller: &Caller,
        is_valid: impl Fn() -> bool,
    ) -> CallAnswer {
        if renames::CALLS.contains(&i64::from(call.nr)) {
            return renames::decide(call, caller, is_valid);
        }
        let answer = || {
            let socket = caller.descriptor(low(call.args[0]).cast_signed())?;
            let call_number = i64::from(call.nr);
            if call_number == libc::SYS_listen {
                return Ok(self.listen(&socket, low(call.args[1]).cast_signed()));
            }
            let length = usize::try_from(low(call.args[2])).map_err(|_| libc::EINVAL)?;
            if length > MAX_ADDRESS {
                return Err(libc::EINVAL);
            }
            let address = caller.memory(call.args[1], length)?;
            if !is_valid() {
                return Err(libc::EINTR);
            }
            Ok(match call_number {
                libc::SYS_connect => self.connect(&socket, &address, caller, is_valid),
                libc::SYS_bind => self.bind(&socket, &address),
                _ => CallAnswer::Fail(libc::ENOSYS),
            })
        };
        answer().unwrap_or_else(CallAnswer::Fail)
    }

    fn connect(
        &self,
        socket: &OwnedFd,
        bytes: &[u8],
        caller: &Caller,
        is_valid: impl Fn() -> bool,
    ) -> CallAnswer {
        match Address::parse(bytes) {
            Address::Path(path) => self.connect_path(socket, &path, caller, is_valid),
            Address::Abstract(name) if !self.network.is_private() => {
                let path = [b"@", name.as_slice()].concat();
                self.refuse_socket(&path)
            }
            Address::Internet(address) if self.network == NetworkMode::Loopback => {
                let Some(peer) = loopback_peer(address) else {
                    return self.refuse_address(address, RefusalReason::NotLoopback);
                };
                match stay_on_loopback(socket) {
                    Ok(()) => connect(socket, &peer).into(),
                    Err(error) => error,
                }
            }
            Address::Internet(address) if self.network == NetworkMode::Allow && is_stream(socket) => {
                self.connect_allowed(socket, address)
            }
            Address::Other if self.network == NetworkMode::Loopback => CallAnswer::Fail(libc::EINVAL),
            // All addresses of a private network, or of the host's with the network `on`.
            _ => connect_raw(socket, bytes),
        }
    }

    /// Connects to the engine's listener for an address that is listed or stands for a name, or to a server
    /// in the sandbox.
    fn connect_allowed(&self, socket: &OwnedFd, address: SocketAddr) -> CallAnswer {
        let ip = address.ip().to_canonical();
        if ip.is_loopback() || ip.is_unspecified() {
            return connect(socket, &address).into();
        }
        let address_inside = if is_inside(ip) {
            Some(address)
        } else {
            position_of(&self.allowed, address).map(|position| inside_of(address, stand_in(position)))
        };
        match address_inside.and_then(|address| listener_of(address, &self.ports)) {
            Some(listener) => connect(socket, &listener).into(),
            None => self.refuse_address(address, RefusalReason::NotAllowed),
        }
    }

    /// Connects to a UNIX socket by path, if it is below a writable path or one of the plan's.
    fn connect_path(
        &self,
        socket: &OwnedFd,
        path: &[u8],
        caller: &Caller,
        is_valid: impl Fn() -> bool,
    ) -> CallAnswer {
        let target = match open_as(caller, path) {
            Ok(target) => target,
            Err(error) => return CallAnswer::Fail(error.raw_os_error()),
        };
        // If the caller has exited, another process may have its pid, by which the path was opened.
        if !is_valid() {
            return CallAnswer::Fail(libc::EINTR);
        }
        if self.is_listed(&target) || self.is_reachable(&target) {
            connect_to(socket, &target)
        } else {
            self.refuse_socket(path)
        }
    }

    /// Returns whether an opened path is a socket of the plan, by whatever name. The view keeps the file
    /// open, so that no other one gets its identity.
    fn is_listed(&self, target: &OwnedFd) -> bool {
        fstat(target).is_ok_and(|status| self.sockets.contains(&(status.st_dev, status.st_ino)))
    }

    /// Returns whether an opened path is below a writable one: everything else is on a read-only mount.
    fn is_reachable(&self, target: &OwnedFd) -> bool {
        let is_read_only =
            fstatvfs(target).is_ok_and(|status| status.f_flag.contains(StatVfsMountFlags::RDONLY));
        let Some(path) = path_of(target.as_fd()).filter(|_| !is_read_only) else { return false };
        let around = self.places.iter().filter(|place| path.starts_with(place));
        let Some(innermost) = around.max_by_key(|place| place.as_os_str().len()) else {
            return path.starts_with(SHARED_MEMORY);
        };
        match self.layers.iter().find(|layer| layer.path == *innermost) {
            // A socket of the host is visible in the lower directory; a socket of the sandbox is in the
            // layer.
            Some(OpenLayer { path: place, upper, .. }) => {
                path.strip_prefix(place).is_ok_and(|below| is_socket(upper.as_fd(), below))
            }
            None => true,
        }
    }

    /// Binds an internet socket to loopback, with the network `loopback`. The kernel makes all other calls
    /// with the caller's rights: the family of a socket can't change, and [`Self::listen`] checks its name.
    fn bind(&self, socket: &OwnedFd, bytes: &[u8]) -> CallAnswer {
        let address = Address::parse(bytes);
        match (family(socket), address) {
            (AddressFamily::UNIX, Address::Abstract(_)) => CallAnswer::Fail(libc::EACCES),
            (AddressFamily::INET | AddressFamily::INET6, address)
                if self.network == NetworkMode::Loopback =>
            {
                let Address::Internet(address) = address else { return CallAnswer::Fail(libc::EINVAL) };
                let is_v6_only = address.is_ipv6() && sockopt::ipv6_v6only(socket).unwrap_or(false);
                // One address can't be that of `127.0.0.1` and that of `::1`, so a socket for both keeps its
                // address. Only the interface keeps it from other machines.
                let is_for_both = address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) && !is_v6_only;
                if is_for_both && stay_on_loopback(socket).is_ok() {
                    return bind(socket, &address).into();
                }
                match loopback_server(address, is_v6_only) {
                    Some(own) => bind(socket, &own).into(),
                    None => CallAnswer::Fail(libc::EADDRNOTAVAIL),
                }
            }
            _ => CallAnswer::Continue,
        }
    }

    fn listen(&self, socket: &OwnedFd, backlog: i32) -> CallAnswer {
        match family(socket) {
            AddressFamily::UNIX => {
                let name = getsockname(socket).ok().and_then(|name| SocketAddrUnix::try_from(name).ok());
                // Programs of the host could mistake an abstract name for that of another server. A path
                // stays the socket's name.
                match name {
                    Some(name) if name.path_bytes().is_some() => listen(socket, backlog).into(),
                    Some(name) if name.abstract_name().is_some() => CallAnswer::Fail(libc::EACCES),
                    _ => CallAnswer::Fail(libc::EINVAL),
                }
            }
            AddressFamily::INET | AddressFamily::INET6 if self.network == NetworkMode::Loopback => {
                listen_on_loopback(socket, backlog)
            }
            _ => CallAnswer::Continue,
        }
    }

    fn refuse_socket(&self, path: &[u8]) -> CallAnswer {
        let path = PathBuf::from(OsStr::from_bytes(path));
        send(self.control, &HelperReport::Refused(SandboxRefusal::Socket { path }));
        CallAnswer::Fail(libc::EACCES)
    }

    fn refuse_address(&self, address: SocketAddr, reason: RefusalReason) -> CallAnswer {
        let host = address.ip().to_canonical().to_string();
        let refusal = SandboxRefusal::Network { host, port: address.port(), reason };
        send(self.control, &HelperReport::Refused(refusal));
        CallAnswer::Fail(libc::ENETUNREACH)
    }
}

/// Returns the family of a socket, which never changes.
fn family(socket: &OwnedFd) -> AddressFamily {
    getsockname(socket).map_or(AddressFamily::UNSPEC, |name| name.address_family())
}

fn listen_on_loopback(socket: &OwnedFd, backlog: i32) -> CallAnswer {
    if let Err(error) = stay_on_loopback(socket) {
        return error;
    }
    let Some(address) = getsockname(socket).ok().and_then(|name| SocketAddr::try_from(name).ok()) else {
        return CallAnswer::Fail(libc::EINVAL);
    };
    // A socket that is bound to a port belongs to the loopback interface since `bind`, or from now on.
    if address.ip().is_unspecified() && address.port() == 0 {
        let is_v6_only = sockopt::ipv6_v6only(socket).unwrap_or(false);
        let Some(own) = loopback_server(address, is_v6_only) else { return CallAnswer::Fail(libc::EACCES) };
        if let Err(error) = bind(socket, &own) {
            return CallAnswer::Fail(error.raw_os_error());
        }
    } else if !address.ip().is_unspecified() && !address.ip().to_canonical().is_loopback() {
        return CallAnswer::Fail(libc::EACCES);
    }
    listen(socket, backlog).into()
}

/// Binds a socket to the loopback interface. Undoing that needs a privilege over the host's network. So the
/// socket reaches no other machine, even if another thread of the command changes the address.
fn stay_on_loopback(socket: &OwnedFd) -> Result<(), CallAnswer> {
    const NAME: &std::ffi::CStr = c"lo";
    // A second time would need the privilege too.
    if is_on_loopback(socket, NAME) {
        return Ok(());
    }
    let length = libc::socklen_t::try_from(NAME.count_bytes()).unwrap_or(0);
    // SAFETY: the kernel reads so many bytes of the name, which is static.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_BINDTODEVICE,
            NAME.as_ptr().cast(),
            length,
        )
    };
    check(result).map(|_| ()).map_err(|error| CallAnswer::Fail(error.raw_os_error().unwrap_or(libc::EACCES)))
}

/// Returns whether a socket is bound to the interface of this name.
fn is_on_loopback(socket: &OwnedFd, name: &std::ffi::CStr) -> bool {
    let mut found = [0_u8; libc::IFNAMSIZ];
    let Ok(mut length) = libc::socklen_t::try_from(found.len()) else { return false };
    // SAFETY: the kernel writes at most `length` bytes, which is the size of the array, and sets `length`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_BINDTODEVICE,
            found.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    result == 0 && found.starts_with(name.to_bytes_with_nul())
}

/// Returns an address of the sandbox with the port and the family of another one.
fn inside_of(address: SocketAddr, inside: Ipv4Addr) -> SocketAddr {
    let ip = if address.is_ipv4() { IpAddr::V4(inside) } else { IpAddr::V6(inside.to_ipv6_mapped()) };
    SocketAddr::new(ip, address.port())
}

/// Returns the low half of an argument: the kernel takes no more for a descriptor, a length or a number.
#[allow(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(super) const fn low(argument: u64) -> u32 {
    argument as u32
}

/// Returns whether a socket makes connections. A datagram goes nowhere in a private network, and resolvers
/// connect such sockets only to learn which address they would have.
fn is_stream(socket: &OwnedFd) -> bool {
    sockopt::socket_type(socket).is_ok_and(|kind| kind == SocketType::STREAM)
}

/// Connects to an address as the kernel reads it.
fn connect_raw(socket: &OwnedFd, address: &[u8]) -> CallAnswer {
    let length = libc::socklen_t::try_from(address.len()).unwrap_or(0);
    // SAFETY: the kernel reads so many bytes from live memory.
    let result = unsafe { libc::connect(socket.as_raw_fd(), address.as_ptr().cast(), length) };
    match check(result) {
        Ok(_) => CallAnswer::Done,
        Err(error) => CallAnswer::Fail(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}
