import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Receiver } from '../notifications/receiver.ts'
import { control } from './bounds.ts'
import { ALL_TOLD } from './alarm-record.ts'
import { Lives } from './lives.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const FORGETFUL = ['bun', 'test/faults/host.ts', 'forgets-what-waits']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'light-hashes']

/** `npm run faults:kill-alarms` has two hundred. */
const CYCLES = Number(process.env['TIDEMARK_TEST_ALARM_KILLS'] ?? 4)
const EDGE_CYCLES = Math.max(2, CYCLES / 10)
/** A kill may find nothing under way. */
const CONTROLS_MAX = 30

let dataDir = ''
let receiver: Receiver
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-alarms-'))
  receiver = new Receiver()
})
afterEach(async () => {
  await receiver.close()
  await rm(dataDir, { recursive: true })
})

const onBun = () => join(dataDir, 'config.db')
/** Of D1 the file that is named after its database, beside what it keeps of itself. */
const atEdge = () => {
  const folder = join(dataDir, 'd1')
  const [file = ''] = new Bun.Glob('**/[0-9a-f]*.sqlite').scanSync(folder)
  return join(folder, file)
}

describe('the Bun host, killed with SIGKILL while states change', () => {
  test(
    `has every alarm and tells it, at least once and again only under its key, over ${CYCLES} kills`,
    async () => {
      const lives = await Lives.begin({ command: BUN, dataDir, databaseFile: onBun, receiver })
      for (let cycle = 0; cycle < CYCLES; cycle++) await lives.dieUnderLoad()
      const verdict = await lives.end()
      console.log(lives.report(verdict))
      expect(verdict).toMatchObject(ALL_TOLD)
      expect(verdict.alarms).toBeGreaterThan(0)
      expect(verdict.messages).toBeGreaterThan(0)
    },
    120_000 + CYCLES * 5_000,
  )

  control(
    'would be seen to lose what it dropped at its start because nobody had carried it on',
    async () => {
      const lives = await Lives.begin({ command: FORGETFUL, dataDir, databaseFile: onBun, receiver })
      for (let cycle = 0; cycle < CONTROLS_MAX && lives.uncarried === 0; cycle++) await lives.dieUnderLoad()
      const { unalarmed, untold } = await lives.end()
      expect(unalarmed + untold).toBeGreaterThan(0)
    },
    180_000,
  )
})

describe('workerd, killed with SIGKILL while states change', () => {
  test(
    `has every alarm and tells it, at least once and again only under its key, over ${EDGE_CYCLES} kills`,
    async () => {
      const lives = await Lives.begin({
        command: EDGE,
        dataDir,
        databaseFile: atEdge,
        receiver,
        // The trigger of every five minutes.
        wake: (host) => host.signal('SIGHUP'),
      })
      for (let cycle = 0; cycle < EDGE_CYCLES; cycle++) await lives.dieUnderLoad()
      const verdict = await lives.end()
      console.log(lives.report(verdict))
      expect(verdict).toMatchObject(ALL_TOLD)
      expect(verdict.messages).toBeGreaterThan(0)
    },
    120_000 + EDGE_CYCLES * 10_000,
  )
})
