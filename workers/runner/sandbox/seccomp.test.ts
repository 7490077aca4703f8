import { describe, expect, test } from 'bun:test'

import { filterFor } from './seccomp.ts'
import type { Internet } from './seccomp.ts'
import { PROCESSORS, REFUSED_CALLS, WATCHED_CALLS } from './syscalls.ts'
import type { CallNumbers, Processor } from './syscalls.ts'

const ALLOWED = 'allowed'
const KILLED = 'killed'
const EPERM = 'errno 1'
const ENOSYS = 'errno 38'
const EAFNOSUPPORT = 'errno 97'

type Call = { readonly processor: number; readonly number: number; readonly arguments?: readonly number[] }

/** Runs a filter as the kernel does: classic BPF over `struct seccomp_data`. */
function judge(filter: Uint8Array<ArrayBuffer>, call: Call): string {
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, call.number, true)
  data.setUint32(4, call.processor, true)
  for (const [index, value] of (call.arguments ?? []).entries()) data.setUint32(16 + 8 * index, value, true)
  const program = new DataView(filter.buffer)
  let value = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const code = program.getUint16(8 * at, true)
    const jumps = [program.getUint8(8 * at + 2), program.getUint8(8 * at + 3)] as const
    const operand = program.getUint32(8 * at + 4, true)
    const jump = (isSo: boolean) => (at += isSo ? jumps[0] : jumps[1])
    if (code === 0x20) value = data.getUint32(operand, true)
    else if (code === 0x54) value = (value & operand) >>> 0
    else if (code === 0x15) jump(value === operand)
    else if (code === 0x35) jump(value >= operand)
    else if (code === 0x45) jump((value & operand) !== 0)
    else if (code === 0x06) return verdictOf(operand)
    else throw new Error(`no such instruction: ${code}`)
  }
  throw new Error('the filter has no end')
}

function verdictOf(value: number): string {
  if (value === 0x7fff_0000) return ALLOWED
  if (value === 0x8000_0000) return KILLED
  return `errno ${value & 0xffff}`
}

describe.each(['x64', 'arm64'] as const)('on %s', (processor: Processor) => {
  const other = processor === 'x64' ? PROCESSORS.arm64 : PROCESSORS.x64
  const verdict = (of: CallNumbers, values: readonly number[] = [], internet: Internet = 'own') => {
    const number = of[processor]
    if (number === null) return null
    return judge(filterFor(processor, internet), {
      processor: PROCESSORS[processor],
      number,
      arguments: values,
    })
  }

  test.each(Object.entries(REFUSED_CALLS))('%s is refused where there is such a call', (_name, numbers) => {
    expect([EPERM, null]).toContain(verdict(numbers))
  })

  test('every number that is not named is allowed', () => {
    const named = new Set(
      [...Object.values(REFUSED_CALLS), ...Object.values(WATCHED_CALLS)].map((of) => of[processor]),
    )
    const filter = filterFor(processor, 'own')
    for (let number = 0; number < 470; number++) {
      if (named.has(number)) continue
      expect([number, judge(filter, { processor: PROCESSORS[processor], number })]).toEqual([number, ALLOWED])
    }
  })

  test('calls in the manner of another processor end the process', () => {
    const filter = filterFor(processor, 'own')
    for (const number of [0, 1, 41, 198]) expect(judge(filter, { processor: other, number })).toBe(KILLED)
    const x32 = judge(filter, { processor: PROCESSORS[processor], number: 0x4000_0001 })
    expect(x32).toBe(processor === 'x64' ? KILLED : ALLOWED)
  })

  test('a process is cloned without namespaces, and not by clone3', () => {
    const { clone, clone3 } = WATCHED_CALLS
    // A thread, a child, and the flag for exit signals that looks like CLONE_NEWTIME.
    for (const flags of [0x003d_0f00, 17, 0x80]) expect(verdict(clone, [flags])).toBe(ALLOWED)
    for (const bit of [17, 25, 26, 27, 28, 29, 30])
      expect([bit, verdict(clone, [(1 << bit) | 17])]).toEqual([bit, EPERM])
    expect(verdict(clone3)).toBe(ENOSYS)
  })

  test('a terminal is given no words', () => {
    expect(verdict(WATCHED_CALLS.ioctl, [0, 0x5412])).toBe(EPERM)
    expect(verdict(WATCHED_CALLS.ioctl, [0, 0x541c])).toBe(EPERM)
    expect(verdict(WATCHED_CALLS.ioctl, [0, 0x5413])).toBe(ALLOWED)
  })

  const UNIX = 1
  const IPV4 = 2
  const IPV6 = 10
  const NETLINK = 16
  const CLOSE_ON_EXEC = 0o2000000
  test.each([
    ['own', UNIX, 1, ALLOWED],
    ['own', IPV4, 2, ALLOWED],
    ['own', IPV6, 1, ALLOWED],
    ['own', NETLINK, 3, ALLOWED],
    ['own', 17, 3, EAFNOSUPPORT],
    ['own', 38, 5, EAFNOSUPPORT],
    ['own', 40, 1, EAFNOSUPPORT],
    ['streams', UNIX, 1, ALLOWED],
    ['streams', IPV4, 1, ALLOWED],
    ['streams', IPV6, 1 | CLOSE_ON_EXEC, ALLOWED],
    ['streams', IPV4, 2, EAFNOSUPPORT],
    ['streams', IPV6, 3, EAFNOSUPPORT],
    ['streams', NETLINK, 3, EAFNOSUPPORT],
    ['none', UNIX, 1, ALLOWED],
    ['none', IPV4, 1, EAFNOSUPPORT],
    ['none', IPV6, 1, EAFNOSUPPORT],
  ] as const)(
    'with internet %s a socket of family %i and type %i is %4$s',
    (internet, family, type, expected) => {
      expect(verdict(WATCHED_CALLS.socket, [family, type], internet)).toBe(expected)
    },
  )
})
