import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { delegate, hierarchiesOf, openGroup } from './cgroups.ts'

const MOUNTS_1 = [
  '30 25 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755',
  '31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  '33 30 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
  '34 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
].join('\n')
const MOUNTS_2 = '30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate'

describe('where groups are made', () => {
  test('is below the own one in version 1, then where each is mounted, then version 2', () => {
    const own = '5:memory:/of/mine\n4:pids:/\n3:cpu,cpuacct:/slow\n0::/\n'
    const found = hierarchiesOf(MOUNTS_1, own)
    expect(found.map(({ version }) => version)).toEqual([1, 1, 2, 2])
    expect(found.slice(0, 2).map(({ directories }) => directories)).toEqual([
      {
        memory: '/sys/fs/cgroup/memory/of/mine',
        pids: '/sys/fs/cgroup/pids',
        cpu: '/sys/fs/cgroup/cpu,cpuacct/slow',
      },
      { memory: '/sys/fs/cgroup/memory', pids: '/sys/fs/cgroup/pids', cpu: '/sys/fs/cgroup/cpu,cpuacct' },
    ])
  })

  test('is one directory for all in version 2', () => {
    const [first, second] = hierarchiesOf(MOUNTS_2, '0::/system.slice/runner.service\n')
    const own = '/sys/fs/cgroup/system.slice/runner.service'
    expect(first).toEqual({ version: 2, directories: { memory: own, pids: own, cpu: own } })
    expect(second?.directories.memory).toBe('/sys/fs/cgroup')
  })

  test('is nowhere without controllers', () => {
    expect(hierarchiesOf('30 25 0:26 / / rw - ext4 /dev/vda rw', '')).toEqual([])
  })
})

describe('version 2, told by files', () => {
  let root: string
  const limits = { memoryMaxBytes: 1_000_000, pidsMax: 7, cpuMax: 0.5, fileMaxBytes: 1, openFilesMax: 1 }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tidemark-cgroup-'))
  })

  afterEach(() => rm(root, { recursive: true }))

  test('a group is bounded, joined by one door, and counts what the kernel ended', async () => {
    const directories = { memory: root, pids: root, cpu: root }
    delegate({ version: 2, directories }, process.pid)
    expect(await readFile(join(root, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu')
    await mkdir(join(root, 'job'))
    await writeFile(join(root, 'job', 'memory.swap.max'), 'max')
    const group = openGroup({ version: 2, directories }, 'job')
    group.bound(limits)
    const written = (name: string) => readFile(join(root, 'job', name), 'utf8')
    expect(await written('memory.max')).toBe('1000000')
    expect(await written('memory.swap.max')).toBe('0')
    expect(await written('pids.max')).toBe('7')
    expect(await written('cpu.max')).toBe('50000 100000')
    expect(group.doors).toEqual([join(root, 'job', 'cgroup.procs')])
    await writeFile(join(root, 'job', 'memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n')
    expect(group.outOfMemoryKills()).toBe(2)
    await writeFile(join(root, 'job', 'cgroup.procs'), '12\n34\n')
    expect(group.members()).toEqual([12, 34])
  })
})
