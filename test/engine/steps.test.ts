import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { Transition } from '../../src/domain/transition.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { Mortal, mortalBlobs, mortalValues, trimsEarly } from './mortal.ts'
import type { Ends, Onto } from './mortal.ts'
import { BEGIN_AT, SMALL_BLOB_BYTES } from './rules.ts'
import { JOB_IDS, KEYS, SCENARIO } from './scenario.ts'
import { EVERY_FAULT } from '../faults/bounds.ts'

setDefaultTimeout(180_000)

/** Methods that change nothing a reader can see: each may be interrupted at every step. */
const MAINTENANCE = ['flush']
const OTHERS = [
  'configure',
  'deliver',
  'deliverAll',
  'deliverRounds',
  'snapshot',
  'buckets',
  'bucketsAll',
  'samples',
  'archive',
  'restore',
  'forget',
  'wake',
  'recordIngestGap',
  'settled',
  'makeBands',
  'takeBands',
]
const CLOCKWORK = ['constructor', 'lastHeartbeat', 'beat', 'notice', 'recordRefusal', 'figures']

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(FAST_DIR, 'tidemark-steps-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('control: this test knows all methods of the engine', () => {
  const known = [...MAINTENANCE, ...OTHERS, ...CLOCKWORK]
  const methods = Object.entries(Object.getOwnPropertyDescriptors(JobEngine.prototype))
    .filter(([, { value }]) => typeof value === 'function')
    .map(([name]) => name)
  expect(methods.toSorted()).toEqual(known.toSorted())
})

describe('a process that dies before or after each single commit of an engine', () => {
  test('keeps acknowledged values once, in the answered states, and its successor continues', async () => {
    const whole = await live(Number.POSITIVE_INFINITY, 'after')
    const commits = whole.steps
    expect(commits).toBeGreaterThan(2 * SCENARIO.length)
    expect(whole.blobsPut).toBeGreaterThan(0)
    expect(whole.blobsLeft).toBe(0)
    const wrong: string[] = []
    for (let step = 1; step <= commits; step++) {
      // The death after a commit and the death before the next one leave the same rows.
      const deaths = EVERY_FAULT
        ? (['before', 'after'] as const)
        : ([step % 2 === 0 ? 'before' : 'after'] as const)
      for (const ends of deaths) {
        const fault = faultOf(await live(step, ends), whole)
        if (fault !== null) wrong.push(`${ends} step ${step} of ${commits}: ${fault}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('control: trimming the WAL before its segments are stored loses values', async () => {
    const whole = await live(Number.POSITIVE_INFINITY, 'after', trimsEarly)
    let fault: string | null = null
    for (let step = 1; step <= whole.steps && fault === null; step++) {
      // Jobs that are gone make it throw, which is as wrong.
      const life = live(step, 'after', trimsEarly)
      fault = await life.then((ended) => faultOf(ended, whole), String)
    }
    expect(fault).not.toBe(null)
  })
})

/** The readable contents of an engine: every series and every state. */
type Picture = string

type Life = {
  readonly steps: number
  /** The readable contents after each act; from the act on during which the process died, in its successor. */
  readonly pictures: readonly Picture[]
  /** The act during which the process died, and whether its caller had an answer. */
  readonly diedIn: { readonly act: number; readonly wasAnswered: boolean } | null
  /** The contents that the successor found, before its first act. */
  readonly found: Picture
  readonly told: ReadonlyMap<string, string>
  readonly contradictions: number
  readonly blobsPut: number
  readonly blobsLeft: number
}

/** Blobs, and how many were ever put. */
class CountedMap extends Map<string, Uint8Array> {
  puts = 0

  override set(key: string, body: Uint8Array): this {
    this.puts += 1
    return super.set(key, body)
  }
}

let lives = 0

/** Plays the scenario, with all maintenance after each act; a successor repeats the act that was not stored and goes on. */
async function live(diesAt: number, ends: Ends, onto: Onto = (values) => values): Promise<Life> {
  const path = join(folder, `${(lives += 1)}.db`)
  const told = new Map<string, string>()
  let contradictions = 0
  let now = BEGIN_AT
  let stored = await openLibsql(`file:${path}`)
  const mortal = new Mortal(diesAt, ends)
  const blobs = new CountedMap()
  const tell = (transition: Transition) => {
    const id = `${transition.objectId}/${transition.seq}`
    const text = JSON.stringify(transition)
    if ((told.get(id) ?? text) !== text) contradictions++
    told.set(id, text)
  }
  const open = (soul: Mortal) => {
    const host = {
      values: onto(mortalValues(soul, valuesInLibsql(stored, { onBroken: () => undefined }))),
      blobs: mortalBlobs(soul, blobs),
      blobBytes: SMALL_BLOB_BYTES,
      clock: { now: () => now, monotonic: () => now },
      log: { info() {}, warn() {}, error() {} },
      turn: () => Promise.resolve(),
      follow: (transitions: readonly Transition[]) => Promise.resolve(transitions.forEach(tell)),
      freeBytes: () => Number.POSITIVE_INFINITY,
      armed: () => undefined,
    }
    return JobEngine.open(host)
  }
  const pictures: Picture[] = []
  let diedIn: Life['diedIn'] = null
  let found = ''
  let engine = await open(mortal).catch(() => null)
  for (const [act, { afterMs, happen }] of SCENARIO.entries()) {
    now += afterMs
    let wasAnswered = false
    try {
      if (!engine) throw new Error('It did not live to see this.')
      await happen(engine, now)
      wasAnswered = true
      await maintain(engine)
      if (mortal.isDead && !diedIn) throw new Error('It died, and nobody has noticed yet.')
    } catch (error) {
      if (diedIn) throw error
      diedIn = { act, wasAnswered }
      await stored.close()
      stored = await openLibsql(`file:${path}`)
      engine = await open(new Mortal(Number.POSITIVE_INFINITY, 'after'))
      found = await pictureOf(engine)
      const isStored = wasAnswered || found !== (pictures.at(-1) ?? found)
      if (!isStored) await happen(engine, now)
      await maintain(engine)
    }
    pictures.push(await pictureOf(engine))
  }
  await engine?.settled()
  await stored.close()
  return {
    steps: mortal.steps,
    pictures,
    diedIn,
    found,
    told,
    contradictions,
    blobsPut: blobs.puts,
    blobsLeft: blobs.size,
  }
}

async function maintain(engine: JobEngine): Promise<void> {
  await engine.settled()
  const methods = engine as unknown as Record<string, () => Promise<void>>
  for (const name of MAINTENANCE) await methods[name]?.call(engine)
  await engine.retention.apply()
}

async function pictureOf(engine: JobEngine): Promise<Picture> {
  const range = { beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 100_000 }
  const jobs = JOB_IDS.map(async (id) => ({
    snapshot: await engine.snapshot(id),
    series: await Promise.all(
      KEYS.map((key) => engine.samples(id, { ...range, key }).catch((error: unknown) => String(error))),
    ),
  }))
  return JSON.stringify(await Promise.all(jobs))
}

/** The fault of a life that ended early, compared with one that did not; null without a fault. */
function faultOf(life: Life, whole: Life): string | null {
  const { diedIn } = life
  if (!diedIn) return 'nobody died'
  const before = whole.pictures[diedIn.act - 1] ?? null
  const after = whole.pictures[diedIn.act] ?? null
  const isAfter = life.found === after
  const isBefore = !diedIn.wasAnswered && (before === null || life.found === before)
  if (!isAfter && !isBefore) return `what was found fits neither side of act ${diedIn.act}`
  if (life.pictures.at(-1) !== whole.pictures.at(-1)) return 'the successor ends elsewhere'
  if (life.blobsLeft !== whole.blobsLeft) return 'blobs are left that nobody needs'
  if (life.contradictions > 0) return 'a change of state was told in two ways'
  return isSame(life.told, whole.told) ? null : 'other changes of state were told'
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([id, text]) => b.get(id) === text)
}
