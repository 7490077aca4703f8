import { dlopen, FFIType, ptr } from 'bun:ffi'
import { randomInt } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { Ledger } from './ledger.ts'
import type { Verdict } from './ledger.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'

// Cuts the power of a file system under load, again and again: an ext4 in a file is shut down without its log being
// flushed (ioctl_ext4(2)), so that only what was flushed is found at the next mount. Needs Linux, root, loop devices and
// mkfs.ext4; prints what was kept and what the control lost, and exits with 1 when either is not as promised.

const [cyclesText = '30'] = process.argv.slice(2)
const BUN = ['bun', 'workers/bun/main.ts']
const FOLDING = ['bun', 'test/faults/host.ts', 'flushes-all-the-time']
const SELDOM = ['bun', 'test/faults/host.ts', 'flushes-seldom']
const CONTROL_CYCLES = 10
const DISK_MIB = 512
const EXT4_IOC_SHUTDOWN = 0x80_04_58_7d
const NO_LOG_FLUSH = 2

const libc = dlopen('libc.so.6', {
  ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
})

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${String(stderr).trim()}`)
}

/** A file system in a file, whose power can be cut. */
class Disk {
  readonly #image: string
  readonly path: string

  constructor(folder: string) {
    this.#image = join(folder, 'image')
    this.path = join(folder, 'disk')
  }

  async make(): Promise<void> {
    await mkdir(this.path)
    run('truncate', '-s', `${DISK_MIB}M`, this.#image)
    run('mkfs.ext4', '-q', '-F', this.#image)
    this.mount()
  }

  mount(): void {
    run('mount', '-o', 'loop', this.#image, this.path)
  }

  cut(): void {
    const folder = openSync(this.path, 'r')
    const code = libc.symbols.ioctl(folder, EXT4_IOC_SHUTDOWN, ptr(new Uint32Array([NO_LOG_FLUSH])))
    closeSync(folder)
    if (code !== 0) throw new Error('The file system was not shut down.')
  }

  unmount(): void {
    run('umount', '--lazy', this.path)
  }
}

async function cutInALoop(commands: readonly (readonly string[])[], cycles: number): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-power-'))
  const disk = new Disk(folder)
  await disk.make()
  const dataDir = join(disk.path, 'data')
  const ledger = new Ledger()
  let host = await startProcess({ command: BUN, dataDir })
  try {
    const session = await Session.open(host.url)
    const jobIds = await session.createJobs(host.url, 20)
    await killAll(host)
    host = await startProcess({ command: commands[0] ?? [], dataDir })
    for (let cycle = 1; cycle <= cycles; cycle++) {
      ledger.open()
      const load = new Senders({ session, ledger, url: host.url, jobIds, count: 32 })
      await Bun.sleep(randomInt(200, 600))
      // Only what was heard before counts: a flush under way may end well on its way into nowhere.
      ledger.close()
      disk.cut()
      await killAll(host)
      await load.stop()
      disk.unmount()
      disk.mount()
      host = await startProcess({ command: commands[cycle % commands.length] ?? [], dataDir })
    }
    const histories = await session.readHistories(host.url, jobIds)
    return ledger.compare(histories)
  } finally {
    await killAll(host)
    disk.unmount()
    await rm(folder, { recursive: true })
  }
}

const cycles = Number(cyclesText)
const kept = await cutInALoop([BUN, FOLDING], cycles)
process.stdout.write(`${cycles} cuts: ${JSON.stringify(kept)}\n`)
const lost = await cutInALoop([SELDOM], CONTROL_CYCLES)
process.stdout.write(`${CONTROL_CYCLES} cuts with synchronous = NORMAL: ${JSON.stringify(lost)}\n`)
const isKept = kept.acknowledged > 0 && kept.missing + kept.twice + kept.unknown + kept.disordered === 0
if (!isKept) process.stdout.write('Something acknowledged was lost or doubled.\n')
if (lost.missing === 0) process.stdout.write('The control lost nothing, so this shows nothing.\n')
process.exit(isKept && lost.missing > 0 ? 0 : 1)
