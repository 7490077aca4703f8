import { PROCESSORS, REFUSED_CALLS, WATCHED_CALLS } from './syscalls.ts'
import type { CallNumbers, Processor } from './syscalls.ts'

/** The allowed sockets of the internet: `own` for a job with a network of its own, `streams` for a job that reaches a proxy in
 * the network of the machine, else `none`. */
export type Internet = 'own' | 'streams' | 'none'

/** One instruction of classic BPF (linux/filter.h). */
type Instruction = readonly [code: number, onTrue: number, onFalse: number, operand: number]

const LOAD_WORD = 0x20
const AND = 0x54
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06

/** Offsets in the input of a filter (linux/seccomp.h: struct seccomp_data); both processors store the low half first. */
const AT_CALL = 0
const AT_PROCESSOR = 4
const AT_ARGUMENTS = 16

const ALLOW = 0x7fff_0000
const KILL_PROCESS = 0x8000_0000
const failWith = (errno: number) => 0x0005_0000 | errno

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** The x32 calls of a 64-bit x86 begin here: the same calls by other numbers. */
const X32_CALLS = 0x4000_0000
/** CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000
/** TIOCSTI and TIOCLINUX write into the input of a terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c]
const UNIX = 1
const IPV4 = 2
const IPV6 = 10
const NETLINK = 16
const SOCKET_TYPE_MASK = 0xf
const STREAM = 1

const answer = (value: number): Instruction => [RETURN, 0, 0, value]
const load = (offset: number): Instruction => [LOAD_WORD, 0, 0, offset]
const argument = (index: number) => load(AT_ARGUMENTS + 8 * index)

/** A seccomp filter (seccomp(2)) in the form of the kernel. It refuses calls that no script needs, and sockets that
 * `internet` does not allow. A call by the numbers of another processor ends the process. */
export function filterFor(processor: Processor, internet: Internet): Uint8Array<ArrayBuffer> {
  const program: Instruction[] = [
    load(AT_PROCESSOR),
    [JUMP_EQUAL, 1, 0, PROCESSORS[processor]],
    answer(KILL_PROCESS),
    load(AT_CALL),
    ...(processor === 'x64' ? [[JUMP_AT_LEAST, 0, 1, X32_CALLS] as const, answer(KILL_PROCESS)] : []),
  ]
  const onCall = (call: CallNumbers, then: readonly Instruction[]) => {
    const number = call[processor]
    // The rules of a call before this one may have loaded an argument.
    if (number !== null) program.push(load(AT_CALL), [JUMP_EQUAL, 0, then.length, number], ...then)
  }
  for (const call of Object.values(REFUSED_CALLS)) onCall(call, [answer(failWith(EPERM))])
  // A filter cannot read the flags of clone3, which are in memory. Libraries use clone after ENOSYS.
  onCall(WATCHED_CALLS.clone3, [answer(failWith(ENOSYS))])
  onCall(WATCHED_CALLS.clone, [
    argument(0),
    [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES],
    answer(failWith(EPERM)),
    answer(ALLOW),
  ])
  onCall(WATCHED_CALLS.ioctl, [
    argument(1),
    ...TERMINAL_INPUT.flatMap((request) => [[JUMP_EQUAL, 0, 1, request] as const, answer(failWith(EPERM))]),
    answer(ALLOW),
  ])
  onCall(WATCHED_CALLS.socket, socketRules(internet))
  program.push(answer(ALLOW))
  return bytesOf(program)
}

function socketRules(internet: Internet): Instruction[] {
  const families = internet === 'own' ? [UNIX, IPV4, IPV6, NETLINK] : [UNIX]
  const allowed = families.flatMap((family) => [[JUMP_EQUAL, 0, 1, family] as const, answer(ALLOW)])
  const refused = answer(failWith(EAFNOSUPPORT))
  if (internet !== 'streams') return [argument(0), ...allowed, refused]
  return [
    argument(0),
    ...allowed,
    [JUMP_EQUAL, 2, 0, IPV4],
    [JUMP_EQUAL, 1, 0, IPV6],
    refused,
    argument(1),
    [AND, 0, 0, SOCKET_TYPE_MASK],
    [JUMP_EQUAL, 0, 1, STREAM],
    answer(ALLOW),
    refused,
  ]
}

function bytesOf(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8 * program.length)
  const view = new DataView(bytes.buffer)
  for (const [index, [code, onTrue, onFalse, operand]] of program.entries()) {
    view.setUint16(8 * index, code, true)
    view.setUint8(8 * index + 2, onTrue)
    view.setUint8(8 * index + 3, onFalse)
    view.setUint32(8 * index + 4, operand, true)
  }
  return bytes
}
