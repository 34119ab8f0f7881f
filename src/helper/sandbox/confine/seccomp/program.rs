//! Translates rules into a program for the kernel's filter (classic BPF).
//!
//! The crate `seccompiler` supports one action for each filter and no user notifications, so this is our own.

use super::rules::{Condition, MAX_SYSCALL, SyscallAction, SyscallRule};

/// The processor's number in the kernel's audit interface.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Calls from this number on belong to another interface of the same processor (x32).
const OTHER_INTERFACE: u32 = 0x4000_0000;

const OFFSET_OF_NUMBER: u32 = 0;
const OFFSET_OF_ARCHITECTURE: u32 = 4;
const OFFSET_OF_ARGUMENTS: u32 = 16;

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP: u16 = 0x05; // BPF_JMP | BPF_JA
const JUMP_IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_IF_NOT_BELOW: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const JUMP_IF_ANY_BIT: u16 = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

const ALLOW: u32 = 0x7fff_0000;
const ASK: u32 = 0x7fc0_0000;
const FAIL: u32 = 0x0005_0000;

/// An instruction, as the kernel lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) code: u16,
    pub(super) if_true: u8,
    pub(super) if_false: u8,
    pub(super) value: u32,
}

const fn plain(code: u16, value: u32) -> Instruction {
    Instruction { code, if_true: 0, if_false: 0, value }
}

/// Skips `if_true` instructions if the test holds, otherwise `if_false`.
const fn test(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction { code, if_true, if_false, value }
}

fn answer(action: SyscallAction) -> Instruction {
    let value = match action {
        SyscallAction::Allow => ALLOW,
        SyscallAction::Ask => ASK,
        SyscallAction::Fail(errno) => FAIL | errno.unsigned_abs(),
    };
    plain(RETURN, value)
}

/// Translates the rules. Another interface and calls that are newer than the table fail with `ENOSYS`; calls
/// without a rule are allowed.
pub(super) fn assemble(rules: &[SyscallRule]) -> Vec<Instruction> {
    let missing = answer(SyscallAction::Fail(libc::ENOSYS));
    let mut rules: Vec<&SyscallRule> = rules.iter().collect();
    rules.sort_by_key(|rule| rule.call);
    let mut program = vec![
        plain(LOAD, OFFSET_OF_ARCHITECTURE),
        test(JUMP_IF_EQUAL, ARCHITECTURE, 1, 0),
        missing,
        plain(LOAD, OFFSET_OF_NUMBER),
        test(JUMP_IF_NOT_BELOW, OTHER_INTERFACE.min(MAX_SYSCALL + 1), 0, 1),
        missing,
    ];
    program.extend(search(&rules));
    program
}

/// A binary search for the rule of a call: the kernel runs the program for each call, and once for each
/// number when the filter is installed.
fn search(rules: &[&SyscallRule]) -> Vec<Instruction> {
    let (left, right) = rules.split_at(rules.len() / 2);
    match (left, right) {
        ([], []) => vec![answer(SyscallAction::Allow)],
        ([], [rule]) => {
            let mut program = vec![test(JUMP_IF_EQUAL, rule.call, 1, 0), answer(SyscallAction::Allow)];
            program.extend(decide(rule));
            program
        }
        (_, [first, ..]) => {
            let (left, right) = (search(left), search(right));
            let mut program = vec![
                test(JUMP_IF_NOT_BELOW, first.call, 0, 1),
                plain(JUMP, u32::try_from(left.len()).unwrap_or(u32::MAX)),
            ];
            program.extend(left);
            program.extend(right);
            program
        }
        (_, []) => search(left),
    }
}

/// Checks the arguments of a call.
fn decide(rule: &SyscallRule) -> Vec<Instruction> {
    let mut program = Vec::new();
    for (conditions, action) in &rule.checks {
        let blocks: Vec<Vec<Instruction>> = conditions.iter().map(check).collect();
        let mut left: usize = blocks.iter().map(|block| block.len() + 1).sum::<usize>() + 1;
        for block in blocks {
            left -= block.len() + 1;
            program.extend(block);
            // The block's last instruction skips this jump to the next check.
            program.push(plain(JUMP, u32::try_from(left).unwrap_or(u32::MAX)));
        }
        program.push(answer(*action));
    }
    program.push(answer(rule.otherwise));
    program
}

/// Tests the low 32 bits of an argument: the kernel's types of all tested arguments are no wider. The last
/// instruction skips the next one if the condition holds.
fn check(condition: &Condition) -> Vec<Instruction> {
    let load = |argument: u32| plain(LOAD, OFFSET_OF_ARGUMENTS + 8 * argument);
    match *condition {
        Condition::AnyBit { argument, mask } => vec![load(argument), test(JUMP_IF_ANY_BIT, mask, 1, 0)],
        Condition::Equal { argument, mask, value } => {
            vec![load(argument), plain(AND, mask), test(JUMP_IF_EQUAL, value, 1, 0)]
        }
    }
}

#[cfg(test)]
pub(super) mod machine {
    //! A minimal interpreter of these programs.

    use super::{
        ALLOW, AND, ARCHITECTURE, ASK, FAIL, Instruction, JUMP, JUMP_IF_ANY_BIT, JUMP_IF_EQUAL,
        JUMP_IF_NOT_BELOW, LOAD, RETURN,
    };
    use crate::helper::sandbox::confine::seccomp::rules::SyscallAction;

    /// Returns the program's action for a call.
    pub(in super::super) fn run(program: &[Instruction], call: u32, arguments: [u64; 6]) -> SyscallAction {
        run_on(program, ARCHITECTURE, call, arguments)
    }

    /// Returns the program's action for a call of this processor architecture.
    pub(in super::super) fn run_on(
        program: &[Instruction],
        architecture: u32,
        call: u32,
        arguments: [u64; 6],
    ) -> SyscallAction {
        let mut data = Vec::new();
        data.extend(call.to_le_bytes());
        data.extend(architecture.to_le_bytes());
        data.extend([0; 8]);
        for argument in arguments {
            data.extend(argument.to_le_bytes());
        }
        let (mut at, mut value) = (0, 0_u32);
        loop {
            let instruction = program[at];
            at += 1;
            let branch =
                |holds: bool| usize::from(if holds { instruction.if_true } else { instruction.if_false });
            match instruction.code {
                LOAD => {
                    let offset = instruction.value as usize;
                    value = u32::from_le_bytes(data[offset..offset + 4].try_into().expect("four bytes"));
                }
                AND => value &= instruction.value,
                JUMP => at += instruction.value as usize,
                JUMP_IF_EQUAL => at += branch(value == instruction.value),
                JUMP_IF_NOT_BELOW => at += branch(value >= instruction.value),
                JUMP_IF_ANY_BIT => at += branch(value & instruction.value != 0),
                RETURN => {
                    return match instruction.value {
                        ALLOW => SyscallAction::Allow,
                        ASK => SyscallAction::Ask,
                        other => SyscallAction::Fail((other & !FAIL).cast_signed()),
                    };
                }
                code => panic!("no instruction {code}"),
            }
        }
    }
}
