import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import type { HostProcess } from '../hosts/process.ts'
import { Receiver } from '../notifications/receiver.ts'
import { control } from './bounds.ts'
import { ALL_TOLD } from './alarm-record.ts'
import { inDataDir } from './data-dir.ts'
import { Lives } from './lives.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const FORGETFUL = ['bun', 'test/faults/host.ts', 'forgets-what-waits']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'light-hashes']

/** `npm run faults:kill-alarms` has two hundred. */
const CYCLES = Number(process.env['TIDEMARK_TEST_ALARM_KILLS'] ?? 4)
const EDGE_CYCLES = Math.max(2, CYCLES / 10)
/** A kill may find nothing under way. */
const CONTROLS_MAX = 30

/** Where the system database is, once a host has run. */
const inFile = (dataDir: string) => join(dataDir, 'config.db')
/** Of D1 the file that is named after its database, beside what it keeps of itself. */
const inD1 = (dataDir: string) => {
  const folder = join(dataDir, 'd1')
  const [file = ''] = new Bun.Glob('**/[0-9a-f]*.sqlite').scanSync(folder)
  return join(folder, file)
}

const HOSTS = [
  { host: 'the Bun host', kills: CYCLES, command: BUN, fileIn: inFile },
  {
    host: 'workerd',
    kills: EDGE_CYCLES,
    command: EDGE,
    fileIn: inD1,
    // The trigger of every five minutes.
    wake: (host: HostProcess) => host.signal('SIGHUP'),
  },
]

/** Begins an installation with a receiver of its own. */
async function withLives(
  { command, fileIn, wake }: Pick<(typeof HOSTS)[number], 'command' | 'fileIn' | 'wake'>,
  run: (lives: Lives) => Promise<void>,
): Promise<void> {
  const receiver = new Receiver()
  try {
    await inDataDir(async (dataDir) => {
      const databaseFile = () => fileIn(dataDir)
      await run(await Lives.begin({ command, dataDir, databaseFile, receiver, ...(wake && { wake }) }))
    })
  } finally {
    await receiver.close()
  }
}

describe('a host that is killed with SIGKILL while states change', () => {
  test.concurrent.each(HOSTS)(
    'has every alarm and tells it, at least once and again only under its key: $host, over $kills kills',
    ({ kills, ...host }) =>
      withLives(host, async (lives) => {
        for (let cycle = 0; cycle < kills; cycle++) await lives.dieUnderLoad()
        const verdict = await lives.end()
        console.log(lives.report(verdict))
        expect(verdict).toMatchObject(ALL_TOLD)
        expect(verdict.alarms).toBeGreaterThan(0)
        expect(verdict.messages).toBeGreaterThan(0)
      }),
    120_000 + CYCLES * 5_000,
  )

  control(
    'would be seen to lose what it dropped at its start because nobody had carried it on',
    () =>
      withLives({ command: FORGETFUL, fileIn: inFile }, async (lives) => {
        for (let cycle = 0; cycle < CONTROLS_MAX && lives.uncarried === 0; cycle++) await lives.dieUnderLoad()
        const { unalarmed, untold } = await lives.end()
        expect(unalarmed + untold).toBeGreaterThan(0)
      }),
    180_000,
  )
})
